#include "data/project_facts.hpp"

#include <nlohmann/json.hpp>

#include "data/error.hpp"

namespace ringpose::data {

std::string project_facts_to_json(const ProjectFacts& facts) {
  const nlohmann::ordered_json json{{"task", facts.task},
                                    {"scorer", facts.scorer},
                                    {"date", facts.date},
                                    {"pcutoff", facts.pcutoff},
                                    {"dotsize", facts.dotsize},
                                    {"alphavalue", facts.alphavalue},
                                    {"colormap", facts.colormap},
                                    {"skeleton_color", facts.skeleton_color},
                                    {"train_fraction", facts.train_fraction},
                                    {"shuffle", facts.shuffle},
                                    {"iteration", facts.iteration}};
  return json.dump(2);
}

ProjectFacts project_facts_from_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    ProjectFacts facts;
    json.at("task").get_to(facts.task);
    json.at("scorer").get_to(facts.scorer);
    json.at("date").get_to(facts.date);
    json.at("pcutoff").get_to(facts.pcutoff);
    json.at("dotsize").get_to(facts.dotsize);
    json.at("alphavalue").get_to(facts.alphavalue);
    json.at("colormap").get_to(facts.colormap);
    json.at("skeleton_color").get_to(facts.skeleton_color);
    json.at("train_fraction").get_to(facts.train_fraction);
    json.at("shuffle").get_to(facts.shuffle);
    json.at("iteration").get_to(facts.iteration);
    return facts;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(std::string("the project facts cannot be read: ") + error.what());
  }
}

}  // namespace ringpose::data
