#include "mpi/progress_thread.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ringpose::mpi {

ProgressThread::ProgressThread() : thread_([this] { run(); }) {}

ProgressThread::~ProgressThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_one();
  thread_.join();
}

std::shared_ptr<PendingRequests> ProgressThread::add(std::vector<MPI_Request> requests) {
  auto pending = std::make_shared<PendingRequests>(std::move(requests));
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(pending);
  }
  work_.notify_one();
  return pending;
}

int ProgressThread::wait(PendingRequests& pending) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  work_.notify_one();
  done_.wait(lock, [&] { return pending.done_; });
  --waiting_;
  return pending.code_;
}

void ProgressThread::test_all() {
  for (const auto& pending : pending_) {
    int complete = 0;
    auto& requests = pending->requests_;
    pending->code_ = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE);
    pending->done_ = complete != 0 || pending->code_ != MPI_SUCCESS;
  }
  if (std::erase_if(pending_, [](const auto& pending) { return pending->done_; }) > 0) done_.notify_all();
}

void ProgressThread::run() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (pending_.empty()) {
      work_.wait(lock, [this] { return stop_ || !pending_.empty(); });
      continue;
    }
    test_all();
    if (pending_.empty()) continue;
    if (waiting_ > 0) {
      lock.unlock();
      std::this_thread::yield();  // ranks may share a core
      lock.lock();
    } else {
      work_.wait_for(lock, 100us);
    }
  }
}

}  // namespace ringpose::mpi
