#include "core/store/SampleReader.h"
#include "core/store/SpanReader.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace trainscope::store {
namespace {

// What of a track has to be looked at: the wanted names, and the chunks that hold one of them.
struct Candidates {
    std::unordered_set<NameId> names;
    std::set<std::int64_t> chunks;
};

std::string likePattern(std::string_view text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

void addChunks(ByteView list, std::set<std::int64_t>& chunks) {
    ByteReader in(list);
    std::int64_t sequence = -1;
    while (in.left() > 0 && in.ok()) {
        sequence += static_cast<std::int64_t>(in.varint() & 0x7FFFFFFFU);
        chunks.insert(sequence);
    }
}

Status searchTrack(Database& database, TrackId track, const Candidates& candidates,
    std::size_t limit, std::vector<Store::FoundSpan>& found) {
    SpanChunk chunk;
    std::size_t taken = 0;
    for (const std::int64_t sequence : candidates.chunks) {
        Status status = database.forEach(
            "SELECT data FROM span_chunk WHERE track=? AND sequence=?",
            [&](const Row& row) -> Status {
                if (!decodeSpans(row.blob(0), chunk))
                    return damagedChunk(database, "a chunk of spans");
                for (const Span& span : chunk.own) {
                    if (taken < limit && candidates.names.contains(span.name)) {
                        found.push_back({track, span});
                        ++taken;
                    }
                }
                return {};
            },
            track.value, sequence);
        if (!status.hasValue())
            return status;
        if (taken >= limit)
            break;
    }
    return {};
}

} // namespace

Result<std::vector<Store::FoundSpan>> queryFindSpans(
    Database& database, RunId run, std::string_view text, std::size_t limit) {
    std::map<std::int64_t, Candidates> tracks;
    Status status = database.forEach(
        "SELECT track_name.track, track_name.name, track_name.chunks FROM track"
        " JOIN track_name ON track_name.track=track.id JOIN name ON name.id=track_name.name"
        " WHERE track.run=? AND name.text LIKE ? ESCAPE '\\'",
        [&tracks](const Row& row) {
            Candidates& candidates = tracks[row.integer(0)];
            candidates.names.insert({row.integer(1)});
            addChunks(row.blob(2), candidates.chunks);
        },
        run.value, likePattern(text));
    std::vector<Store::FoundSpan> found;
    for (auto it = tracks.begin(); it != tracks.end() && status.hasValue(); ++it)
        status = searchTrack(database, {it->first}, it->second, limit, found);
    if (!status.hasValue())
        return status.error();
    std::stable_sort(found.begin(), found.end(),
        [](const auto& a, const auto& b) { return a.span.start < b.span.start; });
    if (found.size() > limit)
        found.resize(limit);
    return found;
}

} // namespace trainscope::store
