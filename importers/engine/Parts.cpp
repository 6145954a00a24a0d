#include "importers/engine/Parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace trainscope::importers::engine {

namespace {

// A label that all series of the node have, or nothing.
std::string conditionOf(const NodeLabels& labels) {
    std::vector<std::string_view> order;
    for (const std::string_view label : labelsOf(LabelRole::Node))
        order.push_back(label);
    for (const auto& [label, values] : labels.values) {
        if (std::find(order.begin(), order.end(), label) == order.end())
            order.insert(order.begin(), label);
    }
    for (const std::string_view label : order) {
        const auto values = labels.values.find(label);
        if (values != labels.values.end() && !labels.missing.contains(label))
            return oneOf(label, {values->second.begin(), values->second.end()});
    }
    return {};
}

int nodeOf(const Catalogue& catalogue, const Subject& subject) {
    return subject.kind == SubjectKind::Gpu
        ? catalogue.roster.gpus()[static_cast<std::size_t>(subject.rank)].node
        : subject.node;
}

} // namespace

std::vector<Part> partsOf(const Catalogue& catalogue) {
    std::map<int, Part> byNode;
    for (std::size_t i = 0; i < catalogue.channels.size(); ++i) {
        const Channel& channel = catalogue.channels[i];
        Part& part = byNode[nodeOf(catalogue, channel.description.subject)];
        part.channels.push_back(i);
        if (std::find(part.engineNames.begin(), part.engineNames.end(), channel.engineName)
            == part.engineNames.end())
            part.engineNames.push_back(channel.engineName);
    }
    std::vector<Part> parts;
    for (auto& [node, part] : byNode) {
        part.name = catalogue.roster.nodes()[static_cast<std::size_t>(node)];
        std::sort(part.engineNames.begin(), part.engineNames.end());
        if (const auto labels = catalogue.labelsOfNodes.find(node);
            labels != catalogue.labelsOfNodes.end())
            part.condition = conditionOf(labels->second);
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace trainscope::importers::engine
