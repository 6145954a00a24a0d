#include "core/store/tables/StoredJson.h"

#include "core/model/HarmlessText.h"

#include <nlohmann/json.hpp>

namespace trainscope::store {
namespace {

using nlohmann::json;

// Messages may quote broken input; what is not UTF-8 is replaced, never thrown at.
std::string dump(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json parse(std::string_view text) {
    json value = json::parse(text, nullptr, false);
    // Moved, not copied: copying goes as deep as the text is nested.
    if (!value.is_object())
        value = json::object();
    return value;
}

// Absent where it is of another type, or a number that T does not hold.
template <typename T>
std::optional<T> valueOf(const json& value) {
    if constexpr (std::is_same_v<T, bool>) {
        if (value.is_boolean())
            return value.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
        if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>()))
            return value.get<T>();
        if (value.is_number_integer() && !value.is_number_unsigned()
            && std::in_range<T>(value.get<std::int64_t>()))
            return value.get<T>();
    } else if (value.is_string()) {
        return harmless(value.get_ref<const std::string&>());
    }
    return std::nullopt;
}

template <typename T>
void read(const json& object, const char* key, T& into) {
    const auto found = object.find(key);
    if (found == object.end())
        return;
    if (auto value = valueOf<T>(*found))
        into = std::move(*value);
}

template <typename T>
void read(const json& object, const char* key, std::optional<T>& into) {
    const auto found = object.find(key);
    if (found != object.end())
        into = valueOf<T>(*found);
}

// An enumeration is kept as its text, everything else as it is.
template <typename T>
const T& asKept(const T& value) {
    return value;
}
std::string asKept(Workload workload) {
    return std::string(toString(workload));
}

void read(const json& object, const char* key, std::optional<Workload>& into) {
    std::string text;
    read(object, key, text);
    into = fromString<Workload>(text);
}

template <typename T>
void read(const json& object, const char* key, std::map<std::string, T>& into) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_object())
        return;
    for (const auto& entry : found->items()) {
        if (auto value = valueOf<T>(entry.value()))
            into[entry.key()] = std::move(*value);
    }
}

void read(const json& object, const char* key, std::vector<int>& into) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array())
        return;
    for (const json& number : *found) {
        if (const auto value = valueOf<int>(number))
            into.push_back(*value);
    }
}

void read(const json& object, const char* key, std::vector<ImportWarning>& into) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array())
        return;
    for (const json& entry : *found) {
        if (!entry.is_object())
            continue;
        ImportWarning& warning = into.emplace_back();
        read(entry, "file", warning.file);
        read(entry, "line", warning.line);
        read(entry, "text", warning.text);
        read(entry, "files", warning.files);
        std::string severity;
        read(entry, "severity", severity);
        warning.severity = fromString(severity, Severity::Doubtful);
    }
}

json asKept(const std::vector<ImportWarning>& warnings) {
    json list = json::array();
    for (const ImportWarning& warning : warnings)
        list.push_back({{"file", warning.file}, {"line", warning.line}, {"text", warning.text},
            {"files", warning.files}, {"severity", toString(warning.severity)}});
    return list;
}

template <typename Visit>
void forEachReportField(Visit&& visit) {
    visit("importer", &ImportReport::importer);
    visit("bytes", &ImportReport::bytes);
    visit("rows", &ImportReport::rows);
    visit("skipped", &ImportReport::skipped);
    visit("samples", &ImportReport::samples);
    visit("missing", &ImportReport::missing);
    visit("spans", &ImportReport::spans);
    visit("counter_falls", &ImportReport::counterFalls);
    visit("gaps", &ImportReport::gaps);
    visit("ranks_expected", &ImportReport::ranksExpected);
    visit("ranks_found", &ImportReport::ranksFound);
    visit("counts", &ImportReport::counts);
    visit("facts", &ImportReport::facts);
    visit("warnings", &ImportReport::warnings);
    visit("warning_count", &ImportReport::warningCount);
}

} // namespace

std::string reportToJson(const ImportReport& report) {
    json object = json::object();
    forEachReportField([&](const char* key, auto member) { object[key] = asKept(report.*member); });
    return dump(object);
}

ImportReport reportFromJson(std::string_view text) {
    const json object = parse(text);
    ImportReport report;
    forEachReportField([&](const char* key, auto member) { read(object, key, report.*member); });
    return report;
}

std::string factsToJson(const Run& run) {
    json launch = json::object();
    forEachLaunchField([&](const char* key, auto member) {
        if (run.launch.*member)
            launch[key] = asKept(*(run.launch.*member));
    });
    launch["origin"] = run.launch.origin;
    return dump(json{{"kind", toString(run.kind)}, {"status", toString(run.status)},
        {"simulated", run.simulated}, {"gpu_model", run.gpuModel}, {"world_size", run.worldSize},
        {"launch", std::move(launch)}});
}

Run factsFromJson(std::string_view text) {
    const json object = parse(text);
    Run run;
    std::string kind;
    std::string status;
    read(object, "kind", kind);
    read(object, "status", status);
    run.kind = fromString(kind, RunKind::Measured);
    run.status = fromString(status, RunStatus::Ok);
    read(object, "simulated", run.simulated);
    read(object, "gpu_model", run.gpuModel);
    read(object, "world_size", run.worldSize);
    const auto launch = object.find("launch");
    if (launch != object.end() && launch->is_object()) {
        forEachLaunchField(
            [&](const char* key, auto member) { read(*launch, key, run.launch.*member); });
        read(*launch, "origin", run.launch.origin);
    }
    return run;
}

void fillRun(Run& known, const Run& more) {
    if (more.kind == RunKind::Predicted)
        known.kind = more.kind;
    // The worst that any source saw.
    if (more.status == RunStatus::Oom || known.status == RunStatus::Ok)
        known.status = more.status;
    known.simulated = known.simulated || more.simulated;
    // A driver's name ("NVIDIA H200") says more than a family that a folder is named after.
    if (more.gpuModel.size() > known.gpuModel.size())
        known.gpuModel = more.gpuModel;
    known.worldSize = std::max(known.worldSize, more.worldSize);
    fillLaunch(known.launch, more.launch);
}

} // namespace trainscope::store
