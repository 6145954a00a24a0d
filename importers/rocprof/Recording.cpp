#include "importers/rocprof/Recording.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <array>
#include <utility>

namespace trainscope::importers::rocprof {

namespace {

constexpr std::int64_t kMostRows = 1'000'000; // of a table of facts

// Suffixes of the tables' names of each recording in a database.
std::vector<std::string> recordingsOf(const ForeignDatabase& database) {
    std::vector<std::string> suffixes;
    constexpr std::size_t kMostRecordings = 4096;
    for (const ForeignTable& table : database.tables()) {
        if (table.name.starts_with(kStringTable) && suffixes.size() < kMostRecordings)
            suffixes.push_back(table.name.substr(kStringTable.size()));
    }
    return suffixes;
}

template <std::size_t count, typename Visit>
Status eachFact(ForeignDatabase& database, const std::string& table,
    const std::array<std::string_view, count>& columns, const Visit& visit) {
    const auto end = database.scan(
        table, columns,
        [&](const ForeignRow& row) {
            visit(row);
            return Status();
        },
        kMostRows);
    return end.hasValue() ? Status() : end.error();
}

Result<Recording> readRecording(ForeignDatabase& database, const std::string& suffix) {
    Recording recording;
    recording.suffix = suffix;
    LauncherVariables variables;
    constexpr std::array<std::string_view, 3> kProcess{"id", "pid", "environment"};
    RETURN_IF_ERROR(
        eachFact(database, "rocpd_info_process" + suffix, kProcess, [&](const ForeignRow& row) {
            recording.processes[row.integer(0, 0)] = row.integer(1, 0);
            variables.takeJson(row.text(2));
        }));
    recording.launched = variables.rank();
    constexpr std::array<std::string_view, 3> kThread{"id", "tid", "name"};
    RETURN_IF_ERROR(
        eachFact(database, "rocpd_info_thread" + suffix, kThread, [&](const ForeignRow& row) {
            recording.threads[row.integer(0, 0)] = row.integer(1, 0);
            if (!row.text(2).empty())
                recording.threadNames[row.integer(0, 0)] = row.text(2);
        }));
    constexpr std::array<std::string_view, 1> kNode{"hostname"};
    RETURN_IF_ERROR(eachFact(database, "rocpd_info_node" + suffix, kNode,
        [&](const ForeignRow& row) { recording.host = row.text(0); }));
    constexpr std::array<std::string_view, 6> kAgent{
        "id", "type", "absolute_index", "product_name", "name", "type_index"};
    std::map<std::int64_t, std::int64_t> order; // of GPUs, by their place on the machine
    RETURN_IF_ERROR(
        eachFact(database, "rocpd_info_agent" + suffix, kAgent, [&](const ForeignRow& row) {
            const std::int64_t id = row.integer(0, 0);
            const std::string_view model = row.text(3).empty() ? row.text(4) : row.text(3);
            recording.agents[id].model = model;
            if (equalsIgnoringCase(row.text(1), "GPU"))
                order[row.integer(2, row.integer(5, id))] = id;
        }));
    for (const auto& [place, id] : order)
        recording.agents[id].device = recording.gpus++;
    return recording;
}

} // namespace

Result<std::vector<Recording>> readRecordings(ForeignDatabase& database) {
    std::vector<Recording> recordings;
    for (const std::string& suffix : recordingsOf(database)) {
        ASSIGN_OR_RETURN(auto recording, readRecording(database, suffix));
        recordings.push_back(std::move(recording));
    }
    return recordings;
}

std::vector<std::int64_t> processesOf(const std::vector<Recording>& recordings) {
    std::vector<std::int64_t> processes;
    for (const Recording& recording : recordings) {
        for (const auto& [number, process] : recording.processes)
            processes.push_back(process);
    }
    return processes;
}

} // namespace trainscope::importers::rocprof
