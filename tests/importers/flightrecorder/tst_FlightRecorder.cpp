// Dumps of the flight recorder: states, times and groups; cut and damaged.

#include "core/layout/ProcessGroup.h"
#include "importers/registry/Registry.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

// As torch 2.6 writes it, without stack frames.
const char* const kDump = R"json({"version": "2.10", "pg_config": {
  "0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"},
  "1": {"name": "1", "desc": "mesh_tp", "ranks": "[2, 3]"}},
 "pg_status": {"0": {"last_enqueued_collective": 2, "last_started_collective": 1}},
 "entries": [
 {"frames": [{"name": "f{[", "filename": "a.py", "line": 3}], "record_id": 0, "pg_id": 0,
  "process_group": ["0", "default_pg"], "collective_seq_id": 1, "p2p_seq_id": 0, "op_id": 1,
  "profiling_name": "nccl:all_reduce", "time_created_ns": 1724066820000001000,
  "input_sizes": [[3, 4], [5]], "input_dtypes": ["Float", "Float"], "output_sizes": [[3, 4], [5]],
  "output_dtypes": ["Float"], "state": "completed", "is_p2p": false, "retired": true,
  "time_discovered_started_ns": 1724066820000002000,
  "time_discovered_completed_ns": 1724066820000005000, "duration_ms": 0.0031,
  "timeout_ms": 600000},
 {"frames": [], "record_id": 1, "pg_id": 1, "process_group": ["1", "mesh_tp"],
  "collective_seq_id": 1, "p2p_seq_id": 0, "op_id": 1, "profiling_name": "nccl:all_gather",
  "time_created_ns": 1724066820000003000, "input_sizes": [[8]], "input_dtypes": ["BFloat16"],
  "output_sizes": [[16]], "output_dtypes": ["BFloat16"], "state": "scheduled", "is_p2p": false,
  "time_discovered_started_ns": null, "time_discovered_completed_ns": null, "retired": false},
 {"frames": [], "record_id": 2, "pg_id": 0, "process_group": ["0", "default_pg"],
  "collective_seq_id": 1, "p2p_seq_id": 7, "op_id": 2, "profiling_name": "nccl:send 2->3",
  "time_created_ns": 1724066820000009000, "input_sizes": [[2]], "input_dtypes": ["Half"],
  "output_sizes": [[2]], "output_dtypes": ["Half"], "state": "started", "is_p2p": true,
  "time_discovered_started_ns": 1724066820000009500}]})json";

} // namespace

class tst_FlightRecorder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spansOfADump() {
        const auto tree = memoryTree({{"job/nccl_trace_rank_2", kDump}});
        const auto plan = planImport(*tree, {});
        QCOMPARE(plan.value().units.size(), std::size_t{1});
        const ImportUnit& unit = plan.value().units[0];
        QCOMPARE(unit.importer, std::string("flightrecorder"));
        QCOMPARE(unit.rank, std::optional(2));
        QCOMPARE(unit.worldSize, 4);
        test::RecordingSink sink;
        const auto report = findImporter("flightrecorder")->import(*tree, unit, sink, {});
        QVERIFY(report.hasValue());
        QCOMPARE(report.value().rows, std::int64_t{3});
        QCOMPARE(report.value().counts.at("state: completed"), std::int64_t{1});
        QCOMPARE(report.value().counts.at("state: scheduled"), std::int64_t{1});
        QCOMPARE(report.value().facts.at(std::string(layout::kProcessGroupsFact)),
            std::string("default_pg (0): 0-3; mesh_tp (1): 2,3"));
        QCOMPARE(sink.tracks.size(), std::size_t{2});
        QCOMPARE(
            sink.tracks[0].description.name, std::string("flight recorder, group 0 (default_pg)"));
        const auto& world = sink.tracks[0].spans;
        QCOMPARE(world.size(), std::size_t{2});
        QCOMPARE(world[0].start.ns, std::int64_t{1'724'066'820'000'002'000});
        QCOMPARE(world[0].duration.ns, std::int64_t{3000});
        QCOMPARE(sink.name(world[0].name), std::string("nccl:all_reduce"));
        const std::string detail = sink.name(world[0].detail);
        for (const char* part : {"\"Collective name\":\"all_reduce\"", "\"In msg nelems\":17",
                 "\"Process Group Ranks\":\"[0, 1, 2, 3]\"", "\"Seq\":1", "\"dtype\":\"Float\"",
                 "\"State\":\"completed\""})
            QVERIFY2(detail.find(part) != std::string::npos, part);
        // Started and not ended: it reaches to the last time of the dump, which is its own start.
        QCOMPARE(world[1].start.ns, std::int64_t{1'724'066'820'000'009'500});
        QCOMPARE(world[1].duration.ns, std::int64_t{0});
        const std::string message = sink.name(world[1].detail);
        VERIFY_SAYS(message, "\"Point to point\":true");
        VERIFY_SAYS(message, "\"Seq\":7");
        VERIFY_SAYS(message, "\"Collective name\":\"send\"");
        // Never started: from its scheduling to the end.
        QCOMPARE(sink.tracks[1].spans[0].duration.ns, std::int64_t{6500});
    }

    // A header with a million ranks would else stand in the details of each entry.
    void ranksOfALargeGroup() {
        std::string ranks = "0";
        for (int rank = 1; rank < 1000; ++rank)
            ranks += ", " + std::to_string(rank);
        std::string dump(kDump);
        dump.replace(dump.find("[2, 3]"), 6, "[" + ranks + "]");
        const auto tree = memoryTree({{"nccl_trace_rank_2", dump}});
        const Importer& importer = *findImporter("flightrecorder");
        test::RecordingSink sink;
        const auto report
            = importer.import(*tree, importer.plan(*tree, tree->files()).at(0), sink, {});
        QVERIFY(report.hasValue());
        const std::string detail = sink.name(sink.tracks.at(1).spans.at(0).detail);
        VERIFY_SAYS(detail, "\"Group size\":1000");
        VERIFY_SAYS(detail, "[0, 1, ");
        VERIFY_SAYS(detail, " 29, ...]");
        QVERIFY(detail.size() < 500);
        QVERIFY(
            report.value().facts.at(std::string(layout::kProcessGroupsFact)).ends_with("0-999"));
    }

    void ranksOfAFolderAreOneRun() {
        const auto tree = memoryTree({{"job/dump_0.json", kDump}, {"job/dump_1.json", kDump}});
        const auto plan = planImport(*tree, {});
        QCOMPARE(plan.value().units.size(), std::size_t{2});
        QCOMPARE(plan.value().units[0].runName, std::string("job"));
        QCOMPARE(plan.value().units[1].runName, std::string("job"));
        QCOMPARE(plan.value().units[1].rank, std::optional(1));
    }

    void cutShort() {
        const Importer& importer = *findImporter("flightrecorder");
        const std::string whole(kDump);
        // Records before the cut are there.
        const auto tree = memoryTree({{"d_0", whole.substr(0, whole.find("\"record_id\": 2"))}});
        test::RecordingSink sink;
        const auto units = importer.plan(*tree, tree->files());
        const auto report = importer.import(*tree, units[0], sink, {});
        QVERIFY(report.hasValue());
        QCOMPARE(report.value().rows, std::int64_t{2});
        QVERIFY(sink.runs[0].status == RunStatus::Partial);
    }
};

TRAINSCOPE_TEST(tst_FlightRecorder)
#include "tst_FlightRecorder.moc"
