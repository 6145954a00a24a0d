#pragma once
// Spans of many tracks in any order of arrival, given back track by track in order of start (the
// longer first among equals, then as they came). Each memory full is sorted and encoded on the
// pool and waits in an unnamed file beside the database.

#include "core/parallel/OrderedJobs.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/database/Spill.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace trainscope::store {

class SpanSorter {
public:
    // spansInMemory: how many are collected before they are encoded; kBatches of these are in
    // memory at most.
    SpanSorter(std::filesystem::path beside, std::size_t spansInMemory);

    // Tracks are numbered from 0. A failure of earlier spans may show here.
    Status add(std::size_t track, std::span<const Span> spans);
    [[nodiscard]] std::uint64_t size() const { return m_size; }

    using Visit = std::function<Status(std::size_t track, std::span<const Span> spans)>;
    // Each track's spans in order, in pieces. The sorter is empty afterwards.
    Status drain(const Visit& visit);

private:
    static constexpr std::size_t kBatches = 3;

    // A stretch of sorted spans of one track in the file.
    struct Piece {
        std::uint64_t offset = 0;
        std::uint32_t bytes = 0;
        bool opensBatch = false; // the first of its track in its batch
        TimeNs begin; // start of the first span
    };
    using Batch = std::vector<std::vector<Span>>; // by track
    struct EncodedBatch {
        std::vector<std::pair<std::size_t, Piece>> pieces; // with their tracks
        Bytes data; // offsets count from its begin
        Batch emptied; // its memory is used again
    };
    struct Run;

    static EncodedBatch encode(Batch& batch);
    Status handOver();
    void keep(EncodedBatch&& batch);
    Status next(Run& run) const;
    Status drainTrack(std::size_t track, const Visit& visit);
    Status merge(std::vector<Run>& runs, const Visit& visit, std::size_t track) const;

    std::filesystem::path m_beside;
    std::size_t m_limit;
    Batch m_batch;
    std::vector<Batch> m_emptied;
    std::size_t m_inBatch = 0;
    std::uint64_t m_size = 0;
    SpillFile m_file;
    std::vector<std::vector<Piece>> m_pieces; // by track, in order of arrival
    Status m_status;
    OrderedJobs<EncodedBatch> m_jobs;
};

} // namespace trainscope::store
