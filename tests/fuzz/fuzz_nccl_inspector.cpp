// Records of NCCL's inspector with changes, or any bytes as such: no crash, collectives that never
// lie over the one before, as many of them as the report counts, and errors that say something. The
// first byte says which.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace trainscope;

namespace {

// Two records of a process, and one of another that lies beside it.
const fuzz::Files kRecords{
    {"job/n1-pid77.log",
        R"({"header": {"id": "0x1", "rank": 0, "n_ranks": 4, "nnodes": 1}, "metadata": )"
        R"({"dump_timestamp_us": 1772359200000000, "hostname": "n1", "pid": 77}, "coll_perf": )"
        R"({"coll": "AllGather", "coll_sn": 0, "coll_msg_size_bytes": 1048576, )"
        R"("coll_exec_time_us": 100, "coll_algobw_gbs": 10.5, "coll_busbw_gbs": 7.86432}})"
        "\n"
        R"({"header": {"rank": 0, "n_ranks": 4}, "metadata": {"dump_timestamp_us": )"
        R"(1772359200000050, "hostname": "n1", "pid": 77}, "coll_perf": {"coll": "AllReduce", )"
        R"("coll_msg_size_bytes": 64, "coll_exec_time_us": 60.5, "coll_busbw_gbs": 1e-3}})"
        "\n"},
    {"job/n2-pid78.log",
        R"({"header": {"rank": 1, "n_ranks": 4}, "metadata": {"dump_timestamp_us": )"
        R"(1772359200000010, "hostname": "n2", "pid": 78}, "coll_perf": {"coll": )"
        R"("ReduceScatter", "coll_msg_size_bytes": 64, "coll_exec_time_us": 9}})"
        "\n"}};

void check(const test::RecordingSink& sink, const ImportReport& report) {
    std::int64_t spans = 0;
    for (const auto& track : sink.tracks) {
        TimeNs end{INT64_MIN};
        for (const Span& span : track.spans) {
            if (span.duration.ns <= 0 || span.start < end)
                std::abort();
            end = span.start + span.duration;
        }
        spans += static_cast<std::int64_t>(track.spans.size());
    }
    if (report.spans != spans || report.rows != spans)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const bool isChanged = fuzz::takeChoice(input, 2) == 0;
    const auto tree = importers::memoryTree(isChanged
            ? fuzz::changed(kRecords, input)
            : fuzz::Files{{"n1-pid77.log", std::string(fuzz::textOf(input))}});
    const importers::Importer& importer = importers::nccl::kInspectorImporter;
    (void)importer.sniff(fuzz::textOf(input), "n1-pid77.log");
    for (const auto& unit : importer.plan(*tree, tree->files())) {
        test::RecordingSink sink;
        const auto report = importer.import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            std::abort();
        if (report.hasValue())
            check(sink, report.value());
    }
    return 0;
}
