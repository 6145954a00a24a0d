#pragma once
// Spans of tracks in order of their start: of one track, and of several merged.

#include "core/model/Try.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// The spans of one track one after the other, in order of their start: merging several tracks needs
// to pull.
class SpanCursor {
public:
    SpanCursor(const store::Store& store, TrackId track, TimeRange window)
        : m_source(store.spanSource(track, window)) { }

    // The current span, or nullptr at the end. Valid until next().
    [[nodiscard]] const Span* current() const {
        return m_position < m_block.size() ? &m_block[m_position] : nullptr;
    }
    Status next() {
        ++m_position;
        return m_position < m_block.size() ? Status() : refill();
    }
    // Call once before the first current().
    Status start() { return refill(); }

private:
    Status refill() {
        ASSIGN_OR_RETURN(m_block, m_source());
        m_position = 0;
        return {};
    }

    store::SpanSource m_source;
    std::span<const Span> m_block;
    std::size_t m_position = 0;
};

// The spans of several tracks in order of their start, those of one track taken over in runs. A
// track may be read ahead of the others. Tracks that begin at the same moment come in the order in
// which they were added.
class SpanMerge {
public:
    // ahead: its spans are delivered as if they began that much earlier.
    void add(SpanCursor cursor, DurationNs ahead = {}) {
        m_sources.push_back({std::move(cursor), ahead});
    }

    // take(number of the track, span) → Status, to the end or the first failure.
    template <typename Take>
    Status forEach(Take&& take, std::string_view phase, const Progress& progress) {
        for (Source& source : m_sources)
            RETURN_IF_ERROR(source.cursor.start());
        for (std::size_t taken = 0;;) {
            if (taken == 0 && progress && !progress({phase, 0, 0}))
                return cancelled();
            TimeNs until = kAllTime.end;
            const std::size_t first = earliest(until);
            if (first == m_sources.size())
                return {};
            Source& source = m_sources[first];
            do {
                RETURN_IF_ERROR(take(first, *source.cursor.current()));
                RETURN_IF_ERROR(source.cursor.next());
                taken = (taken + 1) % kRun;
            } while (source.cursor.current() != nullptr && source.key() < until && taken > 0);
        }
    }

private:
    static constexpr std::size_t kRun = 65'536; // spans between two looks at the progress

    struct Source {
        SpanCursor cursor;
        DurationNs ahead;
        [[nodiscard]] TimeNs key() const { return cursor.current()->start - ahead; }
    };

    // A rank has a few dozen tracks: looking at each beats a heap. `until`: where another begins.
    std::size_t earliest(TimeNs& until) {
        std::size_t first = m_sources.size();
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            if (m_sources[i].cursor.current() == nullptr)
                continue;
            if (first < m_sources.size() && m_sources[i].key() >= m_sources[first].key()) {
                until = std::min(until, m_sources[i].key());
                continue;
            }
            until = first == m_sources.size() ? until : m_sources[first].key();
            first = i;
        }
        return first;
    }

    std::vector<Source> m_sources;
};

} // namespace trainscope::analysis
