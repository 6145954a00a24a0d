#include "core/analysis/KernelCategory.h"

#include "core/analysis/KernelCategoryTable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::analysis {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kLabels{{
    {"all_reduce", "AllReduce"},
    {"reduce_scatter", "ReduceScatter"},
    {"all_gather", "AllGather"},
    {"all_to_all", "AllToAll"},
    {"send_recv", "SendRecv"},
    {"broadcast", "Broadcast"},
    {"communication", "Communication"},
    {"gemm", "GEMM"},
    {"attention", "Attention"},
    {"normalisation", "Normalisation"},
    {"elementwise", "Elementwise"},
    {"optimizer", "Optimizer"},
    {"other", "Other"},
}};

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

bool isCommunicationText(const std::string& lowerText) {
    return lowerText.find("nccl") != std::string::npos
        || lowerText.find("rccl") != std::string::npos
        || lowerText.find("msccl") != std::string::npos;
}

Error badTable(const std::string& what) {
    return {ErrorCode::Unreadable,
        what
            + R"( Expected: {"rules": [{"category": "attention", "any": ["my_attention_kernel"]}]}.)",
        "kernel categories"};
}

} // namespace

Result<std::vector<KernelCategories::Rule>> KernelCategories::parseRules(std::string_view json) {
    const Json document = Json::parse(json.begin(), json.end(), nullptr, false);
    if (document.is_discarded() || !document.is_object())
        return badTable("The table is not a JSON object.");
    const auto list = document.find("rules");
    if (list == document.end() || !list->is_array())
        return badTable("The table has no list of rules.");
    std::vector<Rule> rules;
    for (const Json& entry : *list) {
        const std::string which = "Rule " + std::to_string(rules.size() + 1);
        if (!entry.is_object() || !entry.contains("category") || !entry["category"].is_string()
            || entry["category"].get_ref<const std::string&>().empty())
            return badTable(which + " has no category.");
        if (!entry.contains("any") || !entry["any"].is_array() || entry["any"].empty())
            return badTable(which + " has no list of name parts.");
        Rule rule;
        rule.category = entry["category"].get<std::string>();
        const auto limited = entry.find("communication");
        rule.communicationOnly
            = limited != entry.end() && limited->is_boolean() && limited->get<bool>();
        for (const Json& part : entry["any"]) {
            if (!part.is_string() || part.get_ref<const std::string&>().empty())
                return badTable(which + " has a name part that is no text.");
            rule.anyOf.push_back(lowered(part.get_ref<const std::string&>()));
        }
        rules.push_back(std::move(rule));
    }
    return rules;
}

const KernelCategories& KernelCategories::builtIn() {
    static const KernelCategories kTable = [] {
        KernelCategories table;
        table.m_rules = parseRules(builtInKernelCategories()).valueOr({});
        return table;
    }();
    return kTable;
}

Result<KernelCategories> KernelCategories::fromJson(std::string_view json) {
    auto rules = parseRules(json);
    if (!rules.hasValue())
        return rules.error();
    KernelCategories table;
    table.m_rules = std::move(rules).value();
    const auto& rest = builtIn().m_rules;
    table.m_rules.insert(table.m_rules.end(), rest.begin(), rest.end());
    return table;
}

const KernelCategories::Rule* KernelCategories::match(
    const std::string& lowerText, bool isCollective) const {
    const auto found = std::find_if(m_rules.begin(), m_rules.end(), [&](const Rule& rule) {
        return (isCollective || !rule.communicationOnly)
            && std::any_of(rule.anyOf.begin(), rule.anyOf.end(),
                [&](const std::string& part) { return lowerText.find(part) != std::string::npos; });
    });
    return found == m_rules.end() ? nullptr : &*found;
}

std::string_view KernelCategories::categoryOf(
    std::string_view kernelName, std::string_view collective) const {
    const std::string name = lowered(kernelName);
    const bool isCollective = isCommunicationText(name);
    const auto isKnownCollective = [](const Rule* rule) {
        static constexpr std::array<std::string_view, 5> kCompute{
            "gemm", "attention", "normalisation", "elementwise", "optimizer"};
        return rule != nullptr
            && std::find(kCompute.begin(), kCompute.end(), rule->category) == kCompute.end();
    };
    const Rule* const byName = match(name, isCollective);
    if (!isCollective)
        return byName == nullptr ? std::string_view("other") : std::string_view(byName->category);
    // ncclDevKernel_Reduce and the like must not fall under the compute rule for "reduce".
    if (isKnownCollective(byName))
        return byName->category;
    const Rule* const byArgument = collective.empty() ? nullptr : match(lowered(collective), true);
    return isKnownCollective(byArgument) ? std::string_view(byArgument->category)
                                         : std::string_view("communication");
}

bool KernelCategories::isCommunication(std::string_view kernelName) {
    return isCommunicationText(lowered(kernelName));
}

std::string_view KernelCategories::label(std::string_view category) {
    const auto found = std::find_if(
        kLabels.begin(), kLabels.end(), [&](const auto& entry) { return entry.first == category; });
    return found == kLabels.end() ? category : found->second;
}

} // namespace trainscope::analysis
