#include "core/analysis/traces/DeviceSums.h"

#include "core/analysis/traces/SumColumns.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

void addTo(KernelSum& row, const KernelSum& other) {
    row.count = boundedSum(row.count, other.count);
    row.carried = boundedSum(row.carried, other.carried);
    row.time = boundedSum(row.time, other.time);
    row.see(other.longest, other.longestAt);
}

// Both by name, then detail.
void addRows(std::vector<KernelSum>& rows, std::span<const KernelSum> part, bool isFirst) {
    std::vector<KernelSum> all;
    all.reserve(rows.size() + part.size());
    auto known = rows.begin();
    for (KernelSum row : part) {
        row.carried = isFirst ? row.carried : 0;
        for (; known != rows.end() && precedes(*known, row); ++known)
            all.push_back(*known);
        if (known != rows.end() && !precedes(row, *known))
            addTo(row, *known++);
        all.push_back(row);
    }
    all.insert(all.end(), known, rows.end());
    rows.swap(all);
}

void addTo(CopySum& sum, const CopySum& part) {
    sum.count = boundedSum(sum.count, part.count);
    sum.carried = boundedSum(sum.carried, part.carried);
    sum.time = boundedSum(sum.time, part.time);
    sum.withBytes = boundedSum(sum.withBytes, part.withBytes);
    sum.bytes = boundedSum(sum.bytes, part.bytes);
    sum.timeWithBytes = boundedSum(sum.timeWithBytes, part.timeWithBytes);
}

void addTo(LaunchSums& sum, const LaunchSums& part) {
    sum.joined = boundedSum(sum.joined, part.joined);
    sum.unjoined = boundedSum(sum.unjoined, part.unjoined);
    sum.early = boundedSum(sum.early, part.early);
    sum.hostBound = boundedSum(sum.hostBound, part.hostBound);
    sum.queues.resize(std::max(sum.queues.size(), part.queues.size()));
    for (std::size_t i = 0; i < part.queues.size(); ++i) {
        QueueSums& queue = sum.queues[i];
        queue.waited = boundedSum(queue.waited, part.queues[i].waited);
        queue.maxDepth = std::max(queue.maxDepth, part.queues[i].maxDepth);
        queue.isKnown = queue.isKnown || part.queues[i].isKnown;
    }
}

constexpr std::size_t kKernelColumns = 7;
std::int64_t& kernelColumn(KernelSum& row, std::size_t i) {
    switch (i) {
    case 0:
        return row.name.value;
    case 1:
        return row.detail.value;
    case 2:
        return row.count;
    case 3:
        return row.carried;
    case 4:
        return row.time.ns;
    case 5:
        return row.longest.ns;
    default:
        return row.longestAt.ns;
    }
}

constexpr std::size_t kCopyColumns = 6;
std::int64_t& copyColumn(CopySum& row, std::size_t i) {
    switch (i) {
    case 0:
        return row.count;
    case 1:
        return row.carried;
    case 2:
        return row.time.ns;
    case 3:
        return row.withBytes;
    case 4:
        return row.bytes;
    default:
        return row.timeWithBytes.ns;
    }
}

struct QueueRow {
    std::int64_t waited = 0;
    std::int64_t maxDepth = 0;
    std::int64_t isKnown = 0;
};
constexpr std::size_t kQueueColumns = 3;
std::int64_t& queueColumn(QueueRow& row, std::size_t i) {
    if (i == 0)
        return row.waited;
    return i == 1 ? row.maxDepth : row.isKnown;
}

std::vector<QueueRow> queueRowsOf(const std::vector<QueueSums>& queues) {
    std::vector<QueueRow> rows;
    for (const QueueSums& queue : queues)
        rows.push_back({queue.waited.ns, queue.maxDepth, queue.isKnown ? 1 : 0});
    return rows;
}

constexpr std::size_t kScalars = 10;

} // namespace

void DeviceSums::add(const DeviceSums& part, bool isFirst) {
    const auto carriedOnce = [isFirst](CopySum row) {
        row.carried = isFirst ? row.carried : 0;
        return row;
    };
    busy = boundedSum(busy, part.busy);
    kernelBusy = boundedSum(kernelBusy, part.kernelBusy);
    compute = boundedSum(compute, part.compute);
    communication = boundedSum(communication, part.communication);
    work = spanned(work, part.work);
    addRows(names, part.names, isFirst);
    for (std::size_t i = 0; i < copies.size(); ++i)
        addTo(copies[i], carriedOnce(part.copies[i]));
    addTo(sets, carriedOnce(part.sets));
    addTo(launches, part.launches);
}

void encodeSums(const DeviceSums& sums, store::Bytes& out) {
    const std::array<std::int64_t, kScalars> scalars{sums.busy.ns, sums.compute.ns,
        sums.communication.ns, sums.work.begin.ns, sums.work.end.ns, sums.launches.joined,
        sums.launches.unjoined, sums.launches.early, sums.launches.hostBound.ns,
        sums.kernelBusy.ns};
    putColumn(scalars, out);
    putRows<KernelSum>(sums.names, kKernelColumns, kernelColumn, out);
    std::vector<CopySum> copies(sums.copies.begin(), sums.copies.end());
    copies.push_back(sums.sets);
    putRows<CopySum>(copies, kCopyColumns, copyColumn, out);
    const auto queues = queueRowsOf(sums.launches.queues);
    putRows<QueueRow>(queues, kQueueColumns, queueColumn, out);
}

bool decodeSums(store::ByteView bytes, DeviceSums& sums) {
    store::ByteReader in(bytes);
    std::vector<std::int64_t> scalars;
    std::vector<CopySum> copies;
    std::vector<QueueRow> queues;
    if (!takeColumn(in, scalars) || scalars.size() != kScalars
        || !takeRows(in, sums.names, kKernelColumns, kernelColumn)
        || !takeRows(in, copies, kCopyColumns, copyColumn)
        || copies.size() != sums.copies.size() + 1
        || !takeRows(in, queues, kQueueColumns, queueColumn) || in.left() != 0)
        return false;
    sums.work = {{scalars[3]}, {scalars[4]}};
    std::transform(scalars.begin(), scalars.end(), scalars.begin(), bounded);
    boundColumns<KernelSum>(sums.names, 2, kKernelColumns - 1, kernelColumn);
    boundColumns<CopySum>(copies, 0, kCopyColumns, copyColumn);
    boundColumns<QueueRow>(queues, 0, kQueueColumns, queueColumn);
    sums.busy = {scalars[0]};
    sums.compute = {scalars[1]};
    sums.communication = {scalars[2]};
    sums.kernelBusy = {scalars[9]};
    std::copy_n(copies.begin(), sums.copies.size(), sums.copies.begin());
    sums.sets = copies.back();
    sums.launches = {scalars[5], scalars[6], scalars[7], {scalars[8]}, {}};
    for (const QueueRow& queue : queues)
        sums.launches.queues.push_back({{queue.waited}, queue.maxDepth, queue.isKnown != 0});
    return true;
}

void encodeDelays(std::span<const std::int64_t> delays, store::Bytes& out) {
    putColumn(delays, out);
}

bool decodeDelays(store::ByteView bytes, std::vector<std::int64_t>& delays) {
    store::ByteReader in(bytes);
    return takeColumn(in, delays) && in.left() == 0 && std::is_sorted(delays.begin(), delays.end())
        && (delays.empty() || delays.front() >= 0);
}

namespace {

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
        row.row.category = std::max_element(
            row.times.begin(), row.times.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            })->first;
        result.push_back(std::move(row.row));
    }
    std::sort(result.begin(), result.end(), [](const KernelRow& a, const KernelRow& b) {
        return a.time != b.time ? a.time > b.time : a.name < b.name;
    });
    return result;
}

} // namespace

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
        if (copy.count + copy.carried > 0)
            result[std::string(kCopyDirections[i])] = {copy.count + copy.carried, copy.time,
                copy.withBytes, copy.bytes, copy.timeWithBytes};
    }
    return result;
}

} // namespace trainscope::analysis
