#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StoredJson.h"

#include <fmt/format.h>

#include <tuple>

namespace trainscope::store {

namespace {

constexpr const char* kOrderFact = "node order";

// The part of a recording that one recorder wrote.
struct RecordedPart {
    SourceId source;
    std::string hash;
    std::uint64_t size = 0;
    ImportReport report;
    std::string host;
    int declared = 0; // node
    std::vector<Gpu> gpus; // by rank, as they are in the database

    [[nodiscard]] std::vector<int> locals() const {
        std::vector<int> all = vectorOf(gpus, &Gpu::local);
        std::sort(all.begin(), all.end());
        return all;
    }
    // Parts with the same place are of the same GPUs, recorded twice.
    [[nodiscard]] std::tuple<int, std::string, std::vector<int>> place() const {
        return {declared, host, locals()};
    }
    [[nodiscard]] int declaredRank() const { return declared * static_cast<int>(gpus.size()); }
};

Result<std::vector<RecordedPart>> partsOf(Database& database, RunId run) {
    ASSIGN_OR_RETURN(auto sources,
        database.rows(
            "SELECT id, hash, size, report FROM source WHERE importer LIKE 'record %'"
            " AND id IN (SELECT source FROM source_run WHERE run=?)",
            [](const Row& row) {
                RecordedPart part;
                part.source = SourceId{row.integer(0)};
                part.hash = row.string(1);
                part.size = static_cast<std::uint64_t>(row.integer(2));
                part.report = reportFromJson(row.text(3));
                return part;
            },
            run.value));
    std::vector<RecordedPart> parts;
    for (RecordedPart& part : sources) {
        const auto& facts = part.report.facts;
        const auto host = facts.find("host");
        const auto node = facts.find("node"); // "0 of 2"
        if (host == facts.end() || node == facts.end())
            continue;
        part.host = host->second;
        part.declared
            = wholeNumber<int>(node->second.substr(0, node->second.find(' '))).value_or(0);
        ASSIGN_OR_RETURN(part.gpus, readGpus(database, run, part.source));
        if (!part.gpus.empty())
            parts.push_back(std::move(part));
    }
    std::sort(parts.begin(), parts.end(), [](const RecordedPart& a, const RecordedPart& b) {
        return std::pair(a.place(), a.source.value) < std::pair(b.place(), b.source.value);
    });
    return parts;
}

bool claimTheSame(const RecordedPart& a, const RecordedPart& b) {
    const int aEnd = a.declaredRank() + static_cast<int>(a.gpus.size());
    const int bEnd = b.declaredRank() + static_cast<int>(b.gpus.size());
    return a.place() != b.place() && a.declaredRank() < bEnd && b.declaredRank() < aEnd;
}

Status moveTo(Database& database, RunId run, const RecordedPart& part, int node, int firstRank) {
    const int by = firstRank - part.gpus.front().rank;
    if (by == 0 && node == part.gpus.front().node)
        return {};
    // In two steps: on the way no two have the same rank.
    constexpr int aside = 1'000'000'000;
    RETURN_IF_ERROR(
        database.execute("UPDATE source_gpu SET rank=rank+?, node=? WHERE source=? AND run=?",
            by + aside, node, part.source.value, run.value));
    RETURN_IF_ERROR(database.execute("UPDATE source_gpu SET rank=rank-? WHERE source=? AND run=?",
        aside, part.source.value, run.value));
    RETURN_IF_ERROR(
        database.execute("UPDATE series SET rank=iif(rank<0, rank, rank+?), node=iif(node<0, node,"
                         " ?) WHERE source=? AND run=?",
            by, node, part.source.value, run.value));
    for (const char* sql : {"UPDATE track SET rank=rank+? WHERE rank>=0 AND source=? AND run=?",
             "UPDATE iteration SET rank=rank+? WHERE rank>=0 AND source=? AND run=?",
             "UPDATE capture SET rank=rank+? WHERE source=? AND run=?"})
        RETURN_IF_ERROR(database.execute(sql, by, part.source.value, run.value));
    return {};
}

Status writeWords(
    Database& database, RunId run, RecordedPart& part, const std::string& words, int worldSize) {
    part.report.facts[kOrderFact] = words;
    RETURN_IF_ERROR(writeReport(database, part.source, part.report, part.hash, part.size));
    ASSIGN_OR_RETURN(auto facts, readFacts(database, part.source, run));
    if (!facts)
        return {};
    facts->worldSize = worldSize;
    return writeFacts(database, part.source, run, *facts);
}

} // namespace

Result<std::string> orderRecordedNodes(Database& database, RunId run) {
    ASSIGN_OR_RETURN(auto parts, partsOf(database, run));
    bool isClaimedTwice = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            isClaimedTwice |= claimTheSame(parts[i], parts[j]);
    }
    if (!isClaimedTwice)
        return std::string();
    std::map<std::pair<int, std::string>, int> nodes; // by declared number and host
    std::map<decltype(parts.front().place()), int> firstRanks;
    int worldSize = 0;
    std::string words;
    for (const RecordedPart& part : parts) {
        const auto [node, isNewNode]
            = nodes.try_emplace({part.declared, part.host}, static_cast<int>(nodes.size()));
        if (isNewNode)
            words += fmt::format(
                "{}{} is node {}", words.empty() ? "" : ", ", part.host, node->second);
        if (firstRanks.try_emplace(part.place(), worldSize).second)
            worldSize += static_cast<int>(part.gpus.size());
    }
    for (RecordedPart& part : parts) {
        RETURN_IF_ERROR(moveTo(database, run, part, nodes.at({part.declared, part.host}),
            firstRanks.at(part.place())));
        RETURN_IF_ERROR(writeWords(database, run, part, words, worldSize));
    }
    RETURN_IF_ERROR(refreshRun(database, run));
    return words;
}

} // namespace trainscope::store
