#include "data/random.hpp"

#include <cmath>
#include <numbers>

namespace ringpose::data {

double Random::normal() {
  const double u = 1.0 - uniform();  // (0, 1]
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace ringpose::data
