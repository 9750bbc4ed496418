// Keeps non-blocking MPI calls moving while the rank computes: many MPI builds advance them only inside MPI calls.
#pragma once
#include <mpi.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ringpose::mpi {

/// Requests of one collective. Complete as a whole.
class PendingRequests {
 public:
  explicit PendingRequests(std::vector<MPI_Request> requests) : requests_(std::move(requests)) {}

 private:
  friend class ProgressThread;
  std::vector<MPI_Request> requests_;
  bool done_ = false;
  int code_ = MPI_SUCCESS;
};

/// One thread that sleeps while nothing is pending and otherwise asks MPI every 100 us at most. Needs
/// MPI_THREAD_MULTIPLE. Thread-safe.
class ProgressThread {
 public:
  ProgressThread();
  /// Requests that nobody waited for are left to MPI.
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  [[nodiscard]] std::shared_ptr<PendingRequests> add(std::vector<MPI_Request> requests);
  /// Blocks until done. Returns MPI's code.
  [[nodiscard]] int wait(PendingRequests& pending);

 private:
  void run();
  void test_all();

  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::vector<std::shared_ptr<PendingRequests>> pending_;
  int waiting_ = 0;  ///< callers blocked in wait(): no sleep between two looks then
  bool stop_ = false;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace ringpose::mpi
