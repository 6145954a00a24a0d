#include "core/store/tables/Catalogue.h"

#include "core/model/LaunchFields.h"
#include "core/store/tables/Json.h"

#include <algorithm>
#include <charconv>

namespace trainscope::store {
namespace {

template <typename T>
Result<std::vector<T>> collected(const Status& status, std::vector<T> rows) {
    if (!status.hasValue())
        return status.error();
    return rows;
}

// Columns of the launch table, one for each field; the first is `at`.
class LaunchColumns {
public:
    LaunchColumns(const Row& row, int at)
        : m_row(row)
        , m_at(at) { }

    void read(std::optional<int>& into) { into = m_row.optionalInteger(m_at++); }
    void read(std::optional<bool>& into) {
        const auto value = m_row.optionalInteger(m_at++);
        into = value ? std::optional<bool>(*value != 0) : std::nullopt;
    }
    void read(std::optional<std::string>& into) {
        if (!m_row.isNull(m_at))
            into = m_row.string(m_at);
        ++m_at;
    }
    void read(std::optional<Workload>& into) { into = workloadFrom(m_row.text(m_at++)); }

private:
    const Row& m_row;
    int m_at;
};

LaunchConfig launchFrom(const Row& row, int at) {
    LaunchConfig launch;
    launch.origin = row.string(at);
    LaunchColumns columns(row, at + 1);
    forEachLaunchField([&](const char*, auto member) { columns.read(launch.*member); });
    return launch;
}

Run runFrom(const Row& row) {
    Run run;
    run.id.value = row.integer(0);
    run.name = row.string(1);
    run.kind = row.text(2) == "predicted" ? RunKind::Predicted : RunKind::Measured;
    run.status = row.text(3) == "oom" ? RunStatus::Oom
        : row.text(3) == "partial"    ? RunStatus::Partial
                                      : RunStatus::Ok;
    run.simulated = row.integer(4) != 0;
    run.gpuModel = row.string(5);
    run.range = {{row.integer(6)}, {row.integer(7)}};
    run.gpuCount = row.smallInteger(8);
    run.nodeCount = row.smallInteger(9);
    run.worldSize = row.smallInteger(10);
    run.launch = launchFrom(row, 11);
    return run;
}

Series seriesFrom(const Row& row) {
    Series series;
    series.id.value = row.integer(0);
    series.run.value = row.integer(1);
    series.source.value = row.integer(2);
    SeriesDescription& description = series.description;
    description.metric
        = {row.string(3), row.string(4), metricKindFromString(row.text(5)), row.string(6)};
    const std::string_view subject = row.text(7);
    description.subject = {subject == "node" ? SubjectKind::Node
            : subject == "link"              ? SubjectKind::Link
                                             : SubjectKind::Gpu,
        row.smallInteger(8), row.smallInteger(9), row.string(10)};
    description.scale = row.real(11);
    description.counterBits = row.smallInteger(12);
    const std::string_view sensor = row.text(13);
    description.sensor = sensor == "instant" ? SensorKind::Instant
        : sensor == "averaged"               ? SensorKind::Averaged
                                             : SensorKind::Unknown;
    series.range = {{row.integer(14)}, {row.integer(15)}};
    series.count = row.integer(16);
    series.missing = row.integer(17);
    series.first = row.real(18);
    series.last = row.real(19);
    series.min = row.real(20);
    series.max = row.real(21);
    series.mean = row.real(22);
    series.period = {row.integer(23)};
    return series;
}

TrackKind trackKindFrom(std::string_view text) {
    for (const TrackKind kind :
        {TrackKind::Stream, TrackKind::StreamAnnotation, TrackKind::Thread}) {
        if (toString(kind) == text)
            return kind;
    }
    return TrackKind::Other;
}

Track trackFrom(const Row& row) {
    Track track;
    track.id.value = row.integer(0);
    track.run.value = row.integer(1);
    track.source.value = row.integer(2);
    track.description = {trackKindFrom(row.text(3)), row.smallInteger(4), row.smallInteger(5),
        row.string(6), row.string(7), row.string(8)};
    track.range = {{row.integer(9)}, {row.integer(10)}};
    track.count = row.integer(11);
    track.depth = row.smallInteger(12);
    return track;
}

} // namespace

std::string_view toText(SubjectKind kind) {
    return kind == SubjectKind::Node ? "node" : kind == SubjectKind::Link ? "link" : "gpu";
}

std::string_view toText(SensorKind kind) {
    return kind == SensorKind::Instant ? "instant"
        : kind == SensorKind::Averaged ? "averaged"
                                       : "unknown";
}

Result<std::vector<Run>> readRuns(Database& database) {
    std::vector<Run> runs;
    std::string sql = "SELECT id, name, kind, status, simulated, gpu_model, begin_ns, end_ns, "
                      "gpu_count, node_count, world_size, coalesce(launch.origin, '')";
    forEachLaunchField([&sql](const char* name, auto) { sql += std::string(", launch.") + name; });
    sql += " FROM run LEFT JOIN launch ON launch.run=run.id ORDER BY name, id";
    Status status
        = database.forEach(sql, [&runs](const Row& row) { runs.push_back(runFrom(row)); });
    return collected(status, std::move(runs));
}

Result<std::vector<Gpu>> readGpus(Database& database, RunId run) {
    std::vector<Gpu> gpus;
    Status status = database.forEach(
        "SELECT rank, node, local, model, uuid FROM gpu WHERE run=? ORDER BY rank",
        [&gpus](const Row& row) {
            gpus.push_back({row.smallInteger(0), row.smallInteger(1), row.smallInteger(2),
                row.string(3), row.string(4)});
        },
        run.value);
    return collected(status, std::move(gpus));
}

Result<std::vector<Series>> readSeries(Database& database, RunId run) {
    std::vector<Series> series;
    Status status = database.forEach(
        "SELECT id, run, source, metric, unit, kind, label, subject, rank, node, device, scale, "
        "counter_bits,"
        " sensor, begin_ns, end_ns, count, missing, first, last, min, max, mean, period_ns"
        " FROM series WHERE run=? ORDER BY metric, rank, node, device, id",
        [&series](const Row& row) { series.push_back(seriesFrom(row)); }, run.value);
    return collected(status, std::move(series));
}

Result<std::vector<Track>> readTracks(Database& database, RunId run) {
    std::vector<Track> tracks;
    Status status = database.forEach(
        "SELECT id, run, source, kind, rank, device, process, thread, name, begin_ns, end_ns, "
        "count, depth"
        " FROM track WHERE run=? ORDER BY rank, name, id",
        [&tracks](const Row& row) { tracks.push_back(trackFrom(row)); }, run.value);
    return collected(status, std::move(tracks));
}

Result<std::vector<Iteration>> readIterations(Database& database, RunId run) {
    std::vector<Iteration> iterations;
    Status status = database.forEach(
        "SELECT number, begin_ns, end_ns, rank, warmup FROM iteration WHERE run=? ORDER BY "
        "begin_ns, rank, id",
        [&iterations](const Row& row) {
            iterations.push_back({row.integer(0), {{row.integer(1)}, {row.integer(2)}},
                row.smallInteger(3), row.integer(4) != 0});
        },
        run.value);
    return collected(status, std::move(iterations));
}

Result<std::vector<Source>> readSources(Database& database) {
    std::vector<Source> sources;
    Status status = database.forEach(
        "SELECT id, path, size, hash, imported_ns, report FROM source ORDER BY path, id",
        [&sources](const Row& row) {
            sources.push_back(
                {{row.integer(0)}, {}, row.string(1), static_cast<std::uint64_t>(row.integer(2)),
                    row.string(3), {row.integer(4)}, reportFromJson(row.text(5))});
        });
    if (!status.hasValue())
        return status.error();
    for (Source& source : sources) {
        status = database.forEach(
            "SELECT run FROM source_run WHERE source=? ORDER BY run",
            [&source](const Row& row) { source.runs.push_back({row.integer(0)}); },
            source.id.value);
        if (!status.hasValue())
            return status.error();
    }
    return sources;
}

Result<std::string> readName(Database& database, NameId id) {
    std::optional<std::string> text;
    Status status = database.forEach(
        "SELECT text FROM name WHERE id=?", [&text](const Row& row) { text = row.string(0); },
        id.value);
    if (!status.hasValue())
        return status.error();
    if (!text)
        return Error{ErrorCode::NotFound,
            "There is no name with the number " + std::to_string(id.value) + ".",
            database.shownPath()};
    return *text;
}

Result<std::vector<std::pair<NameId, std::string>>> readNames(Database& database, RunId run) {
    std::vector<std::pair<NameId, std::string>> names;
    Status status = database.forEach(
        "SELECT id, text FROM name WHERE id IN"
        " (SELECT name FROM track_name WHERE track IN (SELECT id FROM track WHERE run=?)) ORDER BY "
        "id",
        [&names](const Row& row) { names.emplace_back(NameId{row.integer(0)}, row.string(1)); },
        run.value);
    return collected(status, std::move(names));
}

Result<std::vector<int>> readAirflow(Database& database, RunId run) {
    std::vector<int> order;
    Status status = database.forEach(
        "SELECT airflow FROM cluster WHERE run=?",
        [&order](const Row& row) {
            const std::string_view text = row.text(0);
            const char* at = text.data();
            const char* const end = at + text.size();
            for (int index = 0; at < end; ++at) {
                const auto read = std::from_chars(at, end, index);
                if (read.ec != std::errc())
                    break;
                order.push_back(index);
                at = read.ptr;
            }
        },
        run.value);
    return collected(status, std::move(order));
}

Status writeAirflow(Database& database, RunId run, std::span<const int> order) {
    std::string text;
    for (const int index : order)
        text += (text.empty() ? "" : ",") + std::to_string(index);
    return database.execute("UPDATE cluster SET airflow=?2 WHERE run=?1", run.value, text);
}

Result<SeriesShape> readShape(Database& database, SeriesId series) {
    std::optional<SeriesShape> shape;
    Status status = database.forEach(
        "SELECT scale, counter_bits, count, period_ns FROM series WHERE id=?",
        [&](const Row& row) {
            shape = SeriesShape{
                series, row.real(0), row.smallInteger(1), row.integer(2), row.integer(3)};
        },
        series.value);
    if (!status.hasValue())
        return status.error();
    if (!shape)
        return Error{ErrorCode::NotFound,
            "There is no series with the number " + std::to_string(series.value) + ".",
            database.shownPath()};
    return *shape;
}

} // namespace trainscope::store
