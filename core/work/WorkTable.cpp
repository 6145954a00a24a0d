#include "core/work/WorkTable.h"

#include "core/catalogue/Tables.h"
#include "core/model/JsonDepth.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

namespace trainscope::work {

namespace {

Error badWorkTable(const std::string& what) {
    return {ErrorCode::Unreadable,
        what
            + R"( Expected: {"operators": [{"names": ["mine::matmul"], "formula": "product", "a": 0, "b": 1}]}.)",
        "operator work"};
}

using Json = nlohmann::json;

Result<Setting> settingOf(const std::string& which, const std::string& key, const Json& item) {
    constexpr std::uint64_t kMostArguments = 1000;
    if (item.is_number_unsigned() && item.get<std::uint64_t>() < kMostArguments)
        return Setting{item.get<int>(), {}};
    if (item.is_string() || item.is_boolean())
        return Setting{std::nullopt, item.is_string() ? item.get<std::string>() : item.dump()};
    return badWorkTable(which + ": \"" + key + "\" is neither an argument's index nor a text.");
}

Result<WorkRule> workRuleOf(const std::string& which, const Json& entry) {
    const Json names = entry.is_object() ? entry.value("names", Json()) : Json();
    if (!names.is_array() || names.empty())
        return badWorkTable(which + " has no list of names.");
    const Json named = entry.value("formula", Json());
    const auto formula
        = named.is_string() ? fromString<Formula>(named.get<std::string>()) : std::nullopt;
    if (!formula)
        return badWorkTable(which + " has no formula of these: " + listedNames<Formula>() + ".");
    WorkRule rule;
    rule.formula = *formula;
    for (const Json& name : names) {
        if (!name.is_string() || name.get<std::string>().empty())
            return badWorkTable(which + " has a name that is no text.");
        rule.names.push_back(name.get<std::string>());
    }
    for (auto member = entry.begin(); member != entry.end(); ++member) {
        const std::string& key = member.key();
        if (key == "names" || key == "formula" || key == "comment")
            continue;
        ASSIGN_OR_RETURN(rule.settings[key], settingOf(which, key, *member));
    }
    return rule;
}

} // namespace

const Setting* WorkRule::find(std::string_view part) const {
    const auto found = settings.find(part);
    return found == settings.end() ? nullptr : &found->second;
}

Result<WorkTable> WorkTable::parse(std::string_view json) {
    const Json document = isNestedTooDeep(json) ? Json() : Json::parse(json, nullptr, false);
    const Json list = document.is_object() ? document.value("operators", Json()) : Json();
    if (!list.is_array())
        return badWorkTable("The table is not a JSON object with a list of operators.");
    WorkTable table;
    for (const Json& entry : list) {
        ASSIGN_OR_RETURN(
            auto rule, workRuleOf("Row " + std::to_string(table.m_rules.size() + 1), entry));
        table.add(std::move(rule));
    }
    return table;
}

void WorkTable::add(WorkRule rule) {
    const std::size_t place = m_rules.size();
    for (const std::string& name : rule.names) {
        if (name.ends_with('*'))
            m_byStart.emplace_back(name.substr(0, name.size() - 1), place);
        else
            m_byName.emplace(name, place);
    }
    m_rules.push_back(std::move(rule));
}

const WorkTable& WorkTable::builtIn() {
    static const WorkTable kTable = parse(builtInOperatorWork()).valueOr({});
    return kTable;
}

Result<WorkTable> WorkTable::fromJson(std::string_view json) {
    ASSIGN_OR_RETURN(WorkTable table, parse(json));
    for (const WorkRule& rule : builtIn().m_rules)
        table.add(rule);
    return table;
}

Result<WorkTable> WorkTable::fromFolder(const std::filesystem::path& folder) {
    const auto path = folder / "operator_work.json";
    std::error_code ignored;
    if (folder.empty() || !std::filesystem::exists(path, ignored))
        return builtIn();
    ASSIGN_OR_RETURN(const auto text, textOfFile(path));
    auto table = fromJson(text);
    if (!table.hasValue())
        return Error{table.error().code, table.error().message, path.string()};
    return table;
}

namespace {

const Result<WorkTable>& tableOfUser() {
    static const Result<WorkTable> kTable = WorkTable::fromFolder(catalogue::configFolder());
    return kTable;
}

} // namespace

const WorkTable& WorkTable::inUse() {
    const Result<WorkTable>& ofUser = tableOfUser();
    return ofUser.hasValue() ? ofUser.value() : builtIn();
}

const std::optional<Error>& WorkTable::problem() {
    static const std::optional<Error> kProblem
        = tableOfUser().hasValue() ? std::nullopt : std::optional(tableOfUser().error());
    return kProblem;
}

const WorkRule* WorkTable::match(std::string_view name) const {
    const auto exact = m_byName.find(name);
    std::size_t place = exact == m_byName.end() ? m_rules.size() : exact->second;
    for (const auto& [start, rule] : m_byStart) {
        if (name.starts_with(start))
            place = std::min(place, rule);
    }
    return place < m_rules.size() ? &m_rules[place] : nullptr;
}

const WorkRule* WorkTable::find(std::string_view operatorName) const {
    const WorkRule* rule = match(operatorName);
    if (rule == nullptr && operatorName.ends_with('_'))
        rule = match(operatorName.substr(0, operatorName.size() - 1));
    return rule;
}

} // namespace trainscope::work
