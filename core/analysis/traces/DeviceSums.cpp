#include "core/analysis/traces/DeviceSums.h"

#include "core/analysis/traces/SumColumns.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

void addQueues(std::vector<QueueSums>& sums, const std::vector<QueueSums>& part) {
    sums.resize(std::max(sums.size(), part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) {
        sums[i].waited = boundedSum(sums[i].waited, part[i].waited);
        sums[i].maxDepth = std::max(sums[i].maxDepth, part[i].maxDepth);
        sums[i].isKnown = sums[i].isKnown || part[i].isKnown;
    }
}

constexpr auto kKernelColumns = [](auto& row) {
    return std::array{&row.name.value, &row.detail.value, &row.count, &row.carried, &row.time.ns};
};
constexpr std::size_t kKernelKeys = 2;
constexpr auto kCopyColumns = [](auto& row) {
    return std::array{
        &row.count, &row.carried, &row.time.ns, &row.withBytes, &row.bytes, &row.timeWithBytes.ns};
};
constexpr auto kScalars = [](auto& sums) {
    return std::array{&sums.busy.ns, &sums.compute.ns, &sums.communication.ns,
        &sums.launches.joined, &sums.launches.unjoined, &sums.launches.early,
        &sums.launches.hostBound.ns, &sums.kernelBusy.ns};
};
using QueueRow = std::array<std::int64_t, 3>;

// A name has one row, of the category in which it spent the most time.
struct NameRow {
    KernelRow row;
    std::map<std::string, DurationNs> times; // by category
};

Result<const std::string*> categoryOf(
    const KernelSum& sum, const KernelNames::Kernel& kernel, KernelNames& names) {
    Span span;
    span.name = sum.name;
    span.detail = sum.detail;
    return names.category(kernel, span);
}

Result<std::vector<KernelRow>> kernelRowsOf(std::span<const KernelSum> sums, KernelNames& names) {
    std::map<NameId, NameRow> rows;
    for (const KernelSum& sum : sums) {
        ASSIGN_OR_RETURN(const auto kernel, names.kernel(sum.name));
        ASSIGN_OR_RETURN(const auto category, categoryOf(sum, *kernel, names));
        NameRow& row = rows[sum.name];
        row.row.name = kernel->name;
        row.row.count = boundedSum(row.row.count, boundedSum(sum.count, sum.carried));
        row.row.time = boundedSum(row.row.time, sum.time);
        row.times[*category] = boundedSum(row.times[*category], sum.time);
    }
    std::vector<KernelRow> result;
    for (auto& [id, row] : rows) {
        row.row.category = std::ranges::max_element(row.times, {}, [](const auto& one) {
            return one.second;
        })->first;
        result.push_back(std::move(row.row));
    }
    std::ranges::sort(result, [](const KernelRow& a, const KernelRow& b) {
        return a.time != b.time ? a.time > b.time : a.name < b.name;
    });
    return result;
}

} // namespace

void DeviceSums::add(const DeviceSums& part, bool isFirst) {
    const auto addCopies = [isFirst](CopySum& sum, CopySum row) {
        row.carried = isFirst ? row.carried : 0;
        addRow(sum, row, 0, kCopyColumns);
    };
    addRow(*this, part, 0, kScalars);
    work = spanned(work, part.work);
    addRows<KernelSum>(names, part.names, isFirst, kKernelKeys, kKernelColumns);
    for (std::size_t i = 0; i < copies.size(); ++i)
        addCopies(copies[i], part.copies[i]);
    addCopies(sets, part.sets);
    addQueues(launches.queues, part.launches.queues);
}

void encodeSums(const DeviceSums& sums, store::Bytes& out) {
    std::vector<std::int64_t> scalars{sums.work.begin.ns, sums.work.end.ns};
    for (const std::int64_t* number : kScalars(sums))
        scalars.push_back(*number);
    putColumn(scalars, out);
    putRows<KernelSum>(sums.names, kKernelColumns, out);
    std::vector<CopySum> copies(sums.copies.begin(), sums.copies.end());
    copies.push_back(sums.sets);
    putRows<CopySum>(copies, kCopyColumns, out);
    std::vector<QueueRow> queues;
    for (const QueueSums& queue : sums.launches.queues)
        queues.push_back({queue.waited.ns, queue.maxDepth, queue.isKnown ? 1 : 0});
    putRows<QueueRow>(queues, kArrayColumns, out);
}

bool decodeSums(store::ByteView bytes, DeviceSums& sums) {
    store::ByteReader in(bytes);
    const auto numbers = kScalars(sums);
    constexpr std::size_t others = 2; // begin and end of the work, which may be any
    std::vector<std::int64_t> scalars;
    std::vector<CopySum> copies;
    std::vector<QueueRow> queues;
    if (!takeColumn(in, scalars) || scalars.size() != others + numbers.size()
        || !takeRows(in, sums.names, kKernelColumns) || !takeRows(in, copies, kCopyColumns)
        || copies.size() != sums.copies.size() + 1 || !takeRows(in, queues, kArrayColumns)
        || in.left() != 0)
        return false;
    sums.work = {{scalars[0]}, {scalars[1]}};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        *numbers[i] = bounded(scalars[others + i]);
    boundRows<KernelSum>(sums.names, kKernelKeys, kKernelColumns);
    boundRows<CopySum>(copies, 0, kCopyColumns);
    boundRows<QueueRow>(queues, 0, kArrayColumns);
    std::copy_n(copies.begin(), sums.copies.size(), sums.copies.begin());
    sums.sets = copies.back();
    for (const auto& [waited, maxDepth, isKnown] : queues)
        sums.launches.queues.push_back({{waited}, maxDepth, isKnown != 0});
    return true;
}

void encodeDelays(std::span<const std::int64_t> delays, store::Bytes& out) {
    putColumn(delays, out);
}

bool decodeDelays(store::ByteView bytes, std::vector<std::int64_t>& delays) {
    store::ByteReader in(bytes);
    return takeColumn(in, delays) && in.left() == 0 && std::ranges::is_sorted(delays)
        && (delays.empty() || delays.front() >= 0);
}

Status breakDown(const DeviceSums& sums, KernelNames& names, TimeBreakdown& times) {
    for (const KernelSum& sum : sums.names) {
        ASSIGN_OR_RETURN(const auto kernel, names.kernel(sum.name));
        ASSIGN_OR_RETURN(const auto category, categoryOf(sum, *kernel, names));
        const std::int64_t count = boundedSum(sum.count, sum.carried);
        CategoryTime& all = times.categories[*category];
        all.count = boundedSum(all.count, count);
        all.time = boundedSum(all.time, sum.time);
        times.kernelCount = boundedSum(times.kernelCount, count);
        times.kernelTime = boundedSum(times.kernelTime, sum.time);
    }
    times.busy = sums.busy;
    times.compute = sums.compute;
    times.communication = sums.communication;
    times.overlap = sums.compute + sums.communication - sums.kernelBusy;
    times.exposedCommunication = sums.kernelBusy - sums.compute;
    times.copy = sums.busy - sums.kernelBusy;
    times.idle = times.traced - sums.busy;
    for (const CopySum& copy : sums.copies) {
        times.copies.count = boundedSum(times.copies.count, boundedSum(copy.count, copy.carried));
        times.copies.time = boundedSum(times.copies.time, copy.time);
    }
    times.sets = {sums.sets.count + sums.sets.carried, sums.sets.time};
    return {};
}

Result<DeviceBreakdown> breakdownOf(
    const DeviceSums& sums, TimeRange window, DurationNs traced, KernelNames& names) {
    DeviceBreakdown result;
    result.window = window;
    result.traced = traced;
    RETURN_IF_ERROR(breakDown(sums, names, result));
    ASSIGN_OR_RETURN(result.kernels, kernelRowsOf(sums.names, names));
    return result;
}

CopyStatistics copiesOf(const DeviceSums& sums) {
    CopyStatistics result;
    for (std::size_t i = 0; i < sums.copies.size(); ++i) {
        const CopySum& copy = sums.copies[i];
        if (copy.count + copy.carried == 0)
            continue;
        CopyKind& kind = result[std::string(kCopyDirections[i])] = copy;
        kind.count += copy.carried;
    }
    return result;
}

} // namespace trainscope::analysis
