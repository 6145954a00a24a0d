#include "core/analysis/traces/KernelCategory.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/model/AsciiText.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

namespace trainscope::analysis {

namespace {

using Json = nlohmann::json;
using Rule = KernelCategories::Rule;

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kLabels{{
    {"all_reduce", "AllReduce"}, {"reduce_scatter", "ReduceScatter"}, {"all_gather", "AllGather"},
    {"all_to_all", "AllToAll"}, {"send_recv", "SendRecv"}, {"broadcast", "Broadcast"},
    {"communication", "Communication"}, {"gemm", "GEMM"}, {"attention", "Attention"},
    {"normalisation", "Normalisation"}, {"elementwise", "Elementwise"}, {"optimizer", "Optimizer"},
    {"compute", "Compute (MatMul)"}, {"memory_elementwise", "Memory/Elementwise"},
    {"layer_norm", "Layer Norm"}, {"other", "Other"},
    {"copy", "Copies"}, // no kernel: the time of copies and sets alone
}};

constexpr std::array<std::string_view, 5> kCompute{
    "gemm", "attention", "normalisation", "elementwise", "optimizer"};

bool isCommunicationText(const std::string& lowerText) {
    constexpr std::array<std::string_view, 16> kMarks{"nccl", "rccl", "msccl",
        // Operators of XLA.
        "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "collective-permute",
        "collective-broadcast",
        // Operations of Megatron's pipelines and tensor ranks.
        "forward-send", "forward-recv", "backward-send", "backward-recv", "tp-allreduce",
        "tp-allgather", "tp-reducescatter"};
    return std::ranges::any_of(
        kMarks, [&](std::string_view mark) { return lowerText.find(mark) != std::string::npos; });
}

Error badTable(const std::string& what) {
    return {ErrorCode::Unreadable,
        what
            + R"( Expected: {"rules": [{"category": "attention", "any": ["my_attention_kernel"]}]}.)",
        "kernel categories"};
}

Result<Rule> parseRule(const std::string& which, const Json& entry) {
    if (!entry.is_object() || !entry.contains("category") || !entry["category"].is_string()
        || entry["category"].get_ref<const std::string&>().empty())
        return badTable(which + " has no category.");
    if (!entry.contains("any") || !entry["any"].is_array() || entry["any"].empty())
        return badTable(which + " has no list of name parts.");
    Rule rule;
    rule.category = entry["category"].get<std::string>();
    for (const auto& [key, parts] :
        {std::pair{"any", &Rule::anyOf}, std::pair{"with", &Rule::with}}) {
        for (const Json& part : entry.value(key, Json::array())) {
            if (!part.is_string() || part.get_ref<const std::string&>().empty())
                return badTable(which + " has a name part that is no text.");
            (rule.*parts).push_back(lowered(part.get_ref<const std::string&>()));
        }
    }
    // A rule for a category of compute kernels must not catch ncclDevKernel_Reduce and the like.
    const bool isCompute = std::ranges::find(kCompute, rule.category) != kCompute.end();
    rule.scope = isCompute ? KernelCategories::Scope::Compute : KernelCategories::Scope::Any;
    if (const auto limited = entry.find("communication");
        limited != entry.end() && limited->is_boolean())
        rule.scope = limited->get<bool>() ? KernelCategories::Scope::Communication
                                          : KernelCategories::Scope::Compute;
    return rule;
}

} // namespace

Result<KernelCategories> KernelCategories::parse(std::string_view json) {
    const Json document = Json::parse(json.begin(), json.end(), nullptr, false);
    if (document.is_discarded() || !document.is_object())
        return badTable("The table is not a JSON object.");
    const auto list = document.find("rules");
    if (list == document.end() || !list->is_array())
        return badTable("The table has no list of rules.");
    KernelCategories table;
    if (const auto replace = document.find("replace"); replace != document.end()) {
        if (!replace->is_boolean())
            return badTable("The member \"replace\" is neither true nor false.");
        table.m_standsAlone = replace->get<bool>();
    }
    for (const Json& entry : *list) {
        ASSIGN_OR_RETURN(
            auto rule, parseRule("Rule " + std::to_string(table.m_rules.size() + 1), entry));
        table.m_rules.push_back(std::move(rule));
    }
    return table;
}

const KernelCategories& KernelCategories::builtIn() {
    static const KernelCategories kTable = parse(builtInKernelCategories()).valueOr({});
    return kTable;
}

const KernelCategories& KernelCategories::charllm() {
    static const KernelCategories kTable = parse(charllmKernelCategories()).valueOr({});
    return kTable;
}

Result<KernelCategories> KernelCategories::fromJson(std::string_view json) {
    auto table = parse(json);
    if (!table.hasValue() || table.value().m_standsAlone)
        return table;
    const auto& rest = builtIn().m_rules;
    table.value().m_rules.insert(table.value().m_rules.end(), rest.begin(), rest.end());
    return table;
}

Result<KernelCategories> KernelCategories::fromChoice(const std::string& choice) {
    if (choice.empty() || choice == "default")
        return builtIn();
    if (choice == "charllm")
        return charllm();
    const auto text = textOfFile(choice);
    if (!text.hasValue())
        return Error{ErrorCode::Unreadable,
            text.error().message
                + " Kernel categories are default, charllm or the path of a JSON file.",
            choice};
    auto table = fromJson(text.value());
    if (!table.hasValue())
        return Error{table.error().code, table.error().message, choice};
    return table;
}

Result<KernelCategories> KernelCategories::fromFolder(const std::filesystem::path& folder) {
    const auto path = folder / "kernel_categories.json";
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? fromChoice(path.string())
                                                  : Result<KernelCategories>(builtIn());
}

const KernelCategories::Rule* KernelCategories::match(
    const std::string& lowerText, bool isCollective) const {
    const auto contains = [&](const std::vector<std::string>& parts) {
        return std::ranges::any_of(parts,
            [&](const std::string& part) { return lowerText.find(part) != std::string::npos; });
    };
    const auto found = std::ranges::find_if(m_rules, [&](const Rule& rule) {
        return (rule.scope == Scope::Any || (rule.scope == Scope::Communication) == isCollective)
            && contains(rule.anyOf) && (rule.with.empty() || contains(rule.with));
    });
    return found == m_rules.end() ? nullptr : &*found;
}

std::string_view KernelCategories::categoryOf(
    std::string_view kernelName, std::string_view collective) const {
    const std::string name = lowered(kernelName);
    const bool isCollective = isCommunicationText(name);
    const Rule* rule = match(name, isCollective);
    // SendRecv is NCCL's kernel of all-to-alls too: there, and where the name tells nothing, the
    // call does.
    const bool asksCall = isCollective && !m_standsAlone && !collective.empty()
        && (rule == nullptr || rule->category == "send_recv");
    if (const Rule* said = asksCall ? match(lowered(collective), true) : nullptr)
        rule = said;
    if (rule != nullptr)
        return rule->category;
    return isCollective && !m_standsAlone ? "communication" : "other";
}

bool KernelCategories::isCommunication(std::string_view kernelName) {
    return isCommunicationText(lowered(kernelName));
}

std::string_view KernelCategories::label(std::string_view category) {
    const auto found
        = std::ranges::find_if(kLabels, [&](const auto& entry) { return entry.first == category; });
    return found == kLabels.end() ? category : found->second;
}

Result<const KernelNames::Kernel*> KernelNames::kernel(NameId name) {
    if (const auto found = m_kernels.find(name); found != m_kernels.end())
        return &found->second;
    Kernel kernel;
    if (name.isValid()) {
        ASSIGN_OR_RETURN(kernel.name, m_store.name(name));
    }
    kernel.isCommunication = KernelCategories::isCommunication(kernel.name);
    kernel.category = m_categories.categoryOf(kernel.name);
    return &m_kernels.emplace(name, std::move(kernel)).first->second;
}

Result<const std::string*> KernelNames::category(const Kernel& kernel, const Span& span) {
    if (!kernel.isCommunication || !span.detail.isValid())
        return &kernel.category;
    const std::pair key{span.name, span.detail};
    if (const auto found = m_collectives.find(key); found != m_collectives.end())
        return &found->second;
    ASSIGN_OR_RETURN(const auto detail, collectiveDetail(m_store, span.detail));
    std::string category(m_categories.categoryOf(kernel.name, detail.collective));
    return &m_collectives.emplace(key, std::move(category)).first->second;
}

} // namespace trainscope::analysis
