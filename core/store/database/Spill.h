#pragma once
// Sorting more rows than memory holds: rows are collected, sorted runs of them go to an unnamed
// file beside the database (it vanishes with the process, however that ends), and are merged.
// Stable: rows that compare equal come out in the order they came in.

#include "core/model/Try.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>
#include <vector>

namespace trainscope::store {

// An unnamed file in the folder of `beside`.
class SpillFile {
public:
    SpillFile() = default;
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;
    ~SpillFile();

    Status open(const std::filesystem::path& beside);
    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    Status append(std::span<const std::byte> bytes);
    Status readAt(std::uint64_t offset, std::span<std::byte> bytes) const;
    [[nodiscard]] std::uint64_t size() const { return m_size; }

private:
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
};

template <typename T, typename Less>
class ExternalSorter {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    ExternalSorter(std::filesystem::path beside, std::size_t rowsInMemory)
        : m_beside(std::move(beside))
        , m_limit(std::max<std::size_t>(rowsInMemory, 2)) { }

    Status add(const T& row) {
        m_rows.push_back(row);
        return m_rows.size() >= m_limit ? spill() : Status();
    }

    // Visits every row in order: Status visit(const T&). The sorter is empty afterwards.
    template <typename Visit>
    Status drain(Visit&& visit) {
        if (m_runs.empty()) {
            std::stable_sort(m_rows.begin(), m_rows.end(), Less());
            for (const T& row : m_rows)
                RETURN_IF_ERROR(visit(row));
            m_rows.clear();
            return {};
        }
        if (!m_rows.empty())
            RETURN_IF_ERROR(spill());
        m_rows.shrink_to_fit();
        return merge(visit);
    }

private:
    struct Run {
        std::uint64_t next = 0; // byte offsets in the file
        std::uint64_t end = 0;
        std::vector<T> buffer;
        std::size_t at = 0;
    };

    Status spill() {
        if (!m_file.isOpen())
            RETURN_IF_ERROR(m_file.open(m_beside));
        std::stable_sort(m_rows.begin(), m_rows.end(), Less());
        const std::uint64_t begin = m_file.size();
        RETURN_IF_ERROR(m_file.append(std::as_bytes(std::span(m_rows))));
        m_runs.push_back({begin, m_file.size(), {}, 0});
        m_rows.clear();
        return {};
    }

    Status fill(Run& run) {
        constexpr std::uint64_t block = std::uint64_t{256} << 10U;
        const std::uint64_t rows = std::min<std::uint64_t>(
            std::max<std::uint64_t>(block / sizeof(T), 1), (run.end - run.next) / sizeof(T));
        run.buffer.resize(static_cast<std::size_t>(rows));
        run.at = 0;
        Status status = m_file.readAt(run.next, std::as_writable_bytes(std::span(run.buffer)));
        run.next += rows * sizeof(T);
        return status;
    }

    template <typename Visit>
    Status merge(Visit& visit) {
        // A heap of run numbers; the earlier run wins among equals, which keeps the order stable.
        const auto later = [this](std::size_t a, std::size_t b) {
            const T& left = m_runs[a].buffer[m_runs[a].at];
            const T& right = m_runs[b].buffer[m_runs[b].at];
            if (Less()(left, right))
                return false;
            return Less()(right, left) || a > b;
        };
        std::vector<std::size_t> heap;
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            RETURN_IF_ERROR(fill(m_runs[i]));
            heap.push_back(i);
        }
        std::make_heap(heap.begin(), heap.end(), later);
        while (!heap.empty()) {
            std::pop_heap(heap.begin(), heap.end(), later);
            Run& run = m_runs[heap.back()];
            RETURN_IF_ERROR(visit(run.buffer[run.at]));
            if (++run.at == run.buffer.size() && run.next < run.end)
                RETURN_IF_ERROR(fill(run));
            if (run.at == run.buffer.size())
                heap.pop_back();
            else
                std::push_heap(heap.begin(), heap.end(), later);
        }
        m_runs.clear();
        return {};
    }

    std::filesystem::path m_beside;
    std::size_t m_limit;
    std::vector<T> m_rows;
    std::vector<Run> m_runs;
    SpillFile m_file;
};

} // namespace trainscope::store
