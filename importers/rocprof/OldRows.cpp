#include "importers/rocprof/OldRows.h"

#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::importers::rocprof {

namespace {

constexpr std::int64_t kMostDevices = 1'000;

std::string_view plainName(std::string_view name) {
    while (name.starts_with('"'))
        name.remove_prefix(1);
    while (name.ends_with('"'))
        name.remove_suffix(1);
    if (name.ends_with(".kd"))
        name.remove_suffix(3);
    return name;
}

Status writeCall(OldTable table, const OldRow& row, TimeRange range, ProfileWriter& writer) {
    ProfiledCall call;
    call.process = row.process;
    call.thread = row.thread;
    call.range = range;
    call.correlation = row.correlation;
    call.name = plainName(row.name);
    call.kind = table == OldTable::Markers ? SpanKind::Annotation : SpanKind::Runtime;
    return writer.call(call);
}

} // namespace

bool isWork(OldTable table) {
    return table == OldTable::Copies || table == OldTable::Kernels;
}

Status writeOld(OldTable table, const OldRow& row, TraceImport& into) {
    ProfileWriter& writer = into.writer();
    const auto range = writer.rangeOf(row.begin, row.end);
    if (!range)
        return {};
    if (!isWork(table))
        return writeCall(table, row, *range, writer);
    ProfiledWork work;
    work.process = row.process;
    work.device = static_cast<int>(std::clamp<std::int64_t>(row.device, 0, kMostDevices));
    const std::string stream
        = table == OldTable::Copies ? std::string("copies") : std::to_string(row.queue);
    work.stream = stream;
    work.range = *range;
    work.correlation = row.correlation;
    work.name = plainName(row.name);
    // Packets that only order others.
    if (work.name.starts_with("<barrier"))
        return {};
    if (table == OldTable::Copies) {
        work.kind = SpanKind::Copy;
    } else if (row.grid > 0) {
        KernelShape shape;
        shape.grid = {row.grid, 1, 1};
        shape.workgroup = {row.workgroup, 1, 1};
        shape.registers = row.registers;
        shape.localMemory = row.localMemory;
        rocprof::describe(shape, into.detail());
    }
    return writer.work(work, into.detail());
}

Result<ImportReport> importOld(
    TraceImport& into, const std::function<Status(bool ofGpus, const OldVisit& visit)>& read) {
    const OldVisit visit
        = [&into](OldTable table, const OldRow& row) { return writeOld(table, row, into); };
    RETURN_IF_ERROR(into.begin());
    RETURN_IF_ERROR(read(false, visit));
    into.writer().nest();
    RETURN_IF_ERROR(read(true, visit));
    RETURN_IF_ERROR(into.finish({}));
    return std::move(into.report());
}

} // namespace trainscope::importers::rocprof
