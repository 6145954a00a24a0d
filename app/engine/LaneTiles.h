#pragma once
// Cache of an engine's answers for lanes: pieces of a fixed number of columns, in memory and, once
// nothing can be added to them, in files of the user's cache folder; both bounded, the oldest goes
// first. Thread-safe.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace trainscope::app {

struct LaneTile {
    static constexpr int kColumns = 128;
    struct Row {
        std::vector<float> low; // NaN: nothing
        std::vector<float> mean;
        std::vector<float> high;
    };
    std::map<std::int64_t, Row> rows; // by a key of the subject
    bool isFinal = false; // the engine can add nothing to it
    bool isSampled = false; // read from a part of each column only
    std::int64_t askedMs = 0; // time of the question

    [[nodiscard]] std::size_t bytes() const;
};
using LaneTilePtr = std::shared_ptr<const LaneTile>;

// "…" of a link, a metric and what was asked of it; of columns of that length; which of them.
struct TileKey {
    std::string scope;
    std::int64_t stepMs = 0;
    std::int64_t index = 0;
    bool operator==(const TileKey&) const = default;
};
struct TileKeyHash {
    std::size_t operator()(const TileKey& key) const noexcept;
};

std::string packed(const LaneTile& tile);
// nullptr for what is no tile.
LaneTilePtr unpackedTile(const std::string& bytes);

class LaneTiles {
public:
    // An empty `folder` means no files.
    LaneTiles(std::string folder, std::size_t mostBytes, std::uint64_t mostFileBytes);

    LaneTilePtr find(const TileKey& key);
    void put(const TileKey& key, const LaneTilePtr& tile);

private:
    [[nodiscard]] std::string fileOf(const TileKey& key) const;
    LaneTilePtr read(const TileKey& key) const;
    void write(const TileKey& key, const LaneTile& tile);
    void keep(const TileKey& key, const LaneTilePtr& tile);
    void tidy();

    struct Kept {
        LaneTilePtr tile;
        std::list<TileKey>::iterator use;
    };
    std::string m_folder;
    std::size_t m_mostBytes;
    std::uint64_t m_mostFileBytes;
    mutable std::mutex m_mutex;
    std::unordered_map<TileKey, Kept, TileKeyHash> m_tiles;
    std::list<TileKey> m_uses; // the latest first
    std::size_t m_bytes = 0;
    std::uint64_t m_written = 0; // to files since the last tidying
};

} // namespace trainscope::app
