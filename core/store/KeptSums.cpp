#include "core/store/KeptSums.h"

#include "core/store/Connection.h"
#include "core/store/Store.h"
#include "core/store/database/Spill.h"

namespace trainscope::store {

namespace {

Status insertSequence(Database& database, const KeptSums& sums, const SumSequence& sequence) {
    std::int64_t number = 0;
    Bytes spilled;
    for (const SumSlice& slice : sequence.slices) {
        spilled.resize(slice.detailSize);
        if (slice.detailSize > 0)
            RETURN_IF_ERROR(
                sums.details->readAt(slice.detailAt, std::as_writable_bytes(std::span(spilled))));
        const ByteView detail(slice.detailSize > 0 ? spilled : slice.detail);
        RETURN_IF_ERROR(database.execute(
            "INSERT INTO trace_sum(run, kind, rank, place, sequence, begin_ns, since_ns, sums, "
            "detail) VALUES(?,?,?,?,?,?,?,?,?)",
            sums.run.value, sequence.place.kind, sequence.place.rank, sequence.place.place,
            number++, slice.begin, slice.since, ByteView(slice.sums), detail));
    }
    return {};
}

} // namespace

Status KeptSums::add(SumSequence sequence, const std::filesystem::path& database) {
    for (SumSlice& slice : sequence.slices) {
        detailsInMemory += slice.detail.size();
        if (detailsInMemory <= kMostInMemory || slice.detail.empty())
            continue;
        if (!details) {
            details = std::make_shared<SpillFile>();
            RETURN_IF_ERROR(details->open(database));
        }
        slice.detailAt = details->size();
        slice.detailSize = slice.detail.size();
        RETURN_IF_ERROR(details->append(std::as_bytes(std::span(slice.detail))));
        detailsInMemory -= slice.detail.size();
        slice.detail = {};
    }
    sequences.push_back(std::move(sequence));
    return {};
}

Result<std::string> sourceState(const Store& store, RunId run) {
    // A recording stays the same source and grows.
    return store.connection().call([run](Database& database) -> Result<std::string> {
        ASSIGN_OR_RETURN(const auto state,
            database.single(
                "SELECT coalesce((SELECT group_concat(source.id || ':' || imported_ns) FROM "
                "source_run JOIN source ON source.id=source WHERE source_run.run=run.id), '')"
                " || '|' || begin_ns || '-' || end_ns FROM run WHERE id=?",
                [](const Row& row) { return row.string(0); }, run.value));
        return state.value_or(std::string());
    });
}

Status keepSums(Store& store, const KeptSums& sums) {
    return store.connection().change([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(const auto state, sourceState(store, sums.run));
        if (state.empty() || state != sums.state)
            return {};
        RETURN_IF_ERROR(database.execute("DELETE FROM trace_sum WHERE run=?", sums.run.value));
        for (const SumSequence& sequence : sums.sequences)
            RETURN_IF_ERROR(insertSequence(database, sums, sequence));
        return database.execute(
            "INSERT OR REPLACE INTO trace_sum_basis(run, basis, names) VALUES(?, ?, ?)",
            sums.run.value, sums.basis, ByteView(sums.names));
    });
}

Status keepSum(Store& store, RunId run, const SumSequence& sequence) {
    return store.connection().change([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(const auto state, sourceState(store, run));
        if (state.empty())
            return {};
        const SumPlace& place = sequence.place;
        RETURN_IF_ERROR(
            database.execute("DELETE FROM trace_sum WHERE run=? AND kind=? AND rank=? AND place=?",
                run.value, place.kind, place.rank, place.place));
        KeptSums sums;
        sums.run = run;
        return insertSequence(database, sums, sequence);
    });
}

Result<std::optional<Bytes>> keptSumNames(const Store& store, RunId run, std::int64_t basis) {
    return store.connection().call([&](Database& database) {
        return database.single(
            "SELECT names FROM trace_sum_basis WHERE run=? AND basis=?",
            [](const Row& row) {
                const ByteView blob = row.blob(0);
                return Bytes(blob.begin(), blob.end());
            },
            run.value, basis);
    });
}

Result<std::vector<SumOutline>> sumOutlines(const Store& store, RunId run, const SumPlace& place) {
    return store.connection().call([&](Database& database) {
        return database.rows(
            "SELECT begin_ns, since_ns FROM trace_sum WHERE run=? AND kind=? AND rank=? AND "
            "place=? ORDER BY sequence",
            [](const Row& row) {
                return SumOutline{row.integer(0), row.integer(1)};
            },
            run.value, place.kind, place.rank, place.place);
    });
}

Status forEachSum(const Store& store, RunId run, const SumPlace& place, std::size_t first,
    std::size_t end, SumPart part, const SumVisitor& visit) {
    constexpr std::string_view sums
        = "SELECT sums FROM trace_sum WHERE run=? AND kind=? AND rank=? AND place=? AND "
          "sequence>=? AND sequence<? ORDER BY sequence";
    constexpr std::string_view detail
        = "SELECT detail FROM trace_sum WHERE run=? AND kind=? AND rank=? AND place=? AND "
          "sequence>=? AND sequence<? ORDER BY sequence";
    return store.connection().call([&](Database& database) {
        return database.forEach(
            part == SumPart::Sums ? sums : detail,
            [&visit](const Row& row) { return visit(row.blob(0)); }, run.value, place.kind,
            place.rank, place.place, static_cast<std::int64_t>(first),
            static_cast<std::int64_t>(end));
    });
}

} // namespace trainscope::store
