#include "app/engine/LaneTiles.h"

#include "core/model/InteractiveThread.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

namespace trainscope::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kTileMagic
    = 0x544c5432; // "TLT2"; with 1, numbers for "not known" were readings
constexpr std::uint64_t kTidyAfter = 32ULL << 20U;
constexpr std::size_t kMostRows = 100'000;

template <typename T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool take(std::string_view& bytes, T& value) {
    if (bytes.size() < sizeof value)
        return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return true;
}

void appendColumns(std::string& bytes, const std::vector<float>& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

bool takeColumns(std::string_view& bytes, std::vector<float>& values) {
    values.resize(LaneTile::kColumns);
    const std::size_t size = values.size() * sizeof(float);
    if (bytes.size() < size)
        return false;
    std::memcpy(values.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    return true;
}

} // namespace

std::size_t LaneTile::bytes() const {
    constexpr std::size_t row = std::size_t{3} * kColumns * sizeof(float) + 160;
    return rows.size() * row + 128;
}

std::size_t TileKeyHash::operator()(const TileKey& key) const noexcept {
    const std::size_t scope = std::hash<std::string>{}(key.scope);
    return scope ^ static_cast<std::size_t>(key.stepMs * 1'000'003 + key.index * 7'919);
}

std::string packed(const LaneTile& tile) {
    std::string bytes;
    append(bytes, kTileMagic);
    append(bytes, static_cast<std::uint32_t>(tile.isSampled ? 1 : 0));
    append(bytes, static_cast<std::uint64_t>(tile.rows.size()));
    for (const auto& [key, row] : tile.rows) {
        append(bytes, key);
        appendColumns(bytes, row.low);
        appendColumns(bytes, row.mean);
        appendColumns(bytes, row.high);
    }
    append(bytes, XXH3_64bits(bytes.data(), bytes.size()));
    return bytes;
}

LaneTilePtr unpackedTile(const std::string& bytes) {
    auto tile = std::make_shared<LaneTile>();
    std::uint32_t magic = 0;
    std::uint32_t isSampled = 0;
    std::uint64_t rows = 0;
    std::uint64_t sum = 0;
    if (bytes.size() < sizeof sum)
        return nullptr;
    std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
    std::string_view rest(bytes.data(), bytes.size() - sizeof sum);
    if (sum != XXH3_64bits(rest.data(), rest.size()) || !take(rest, magic) || magic != kTileMagic
        || !take(rest, isSampled) || !take(rest, rows) || rows > kMostRows)
        return nullptr;
    tile->isFinal = true;
    tile->isSampled = isSampled != 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
        std::int64_t key = 0;
        LaneTile::Row row;
        if (!take(rest, key) || !takeColumns(rest, row.low) || !takeColumns(rest, row.mean)
            || !takeColumns(rest, row.high))
            return nullptr;
        tile->rows.emplace(key, std::move(row));
    }
    return rest.empty() ? tile : nullptr;
}

LaneTiles::LaneTiles(std::string folder, std::size_t mostBytes, std::uint64_t mostFileBytes)
    : m_folder(std::move(folder))
    , m_mostBytes(mostBytes)
    , m_mostFileBytes(mostFileBytes) {
    std::error_code ignored; // without a folder there are no files
    if (!m_folder.empty())
        fs::create_directories(m_folder, ignored);
}

std::string LaneTiles::fileOf(const TileKey& key) const {
    const auto scope = XXH3_128bits(key.scope.data(), key.scope.size());
    return m_folder
        + fmt::format(
            "/{:016x}{:016x}-{}-{}.tile", scope.high64, scope.low64, key.stepMs, key.index);
}

LaneTilePtr LaneTiles::find(const TileKey& key) {
    const std::lock_guard lock(m_mutex);
    const auto known = m_tiles.find(key);
    if (known != m_tiles.end()) {
        m_uses.splice(m_uses.begin(), m_uses, known->second.use);
        return known->second.tile;
    }
    LaneTilePtr tile = read(key);
    if (tile)
        keep(key, tile);
    return tile;
}

LaneTilePtr LaneTiles::read(const TileKey& key) const {
    if (m_folder.empty())
        return nullptr;
    assertMayBlock("reads a file of the cache");
    std::ifstream file(fileOf(key), std::ios::binary);
    if (!file)
        return nullptr;
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return unpackedTile(bytes.str());
}

void LaneTiles::put(const TileKey& key, const LaneTilePtr& tile) {
    const std::lock_guard lock(m_mutex);
    keep(key, tile);
    if (tile->isFinal && !m_folder.empty())
        write(key, *tile);
}

void LaneTiles::keep(const TileKey& key, const LaneTilePtr& tile) {
    if (const auto known = m_tiles.find(key); known != m_tiles.end()) {
        m_bytes -= known->second.tile->bytes();
        m_uses.erase(known->second.use);
        m_tiles.erase(known);
    }
    m_uses.push_front(key);
    m_tiles[key] = {tile, m_uses.begin()};
    m_bytes += tile->bytes();
    while (m_bytes > m_mostBytes && m_uses.size() > 1) {
        const auto last = m_tiles.find(m_uses.back());
        m_bytes -= last->second.tile->bytes();
        m_tiles.erase(last);
        m_uses.pop_back();
    }
}

// A file that cannot be written is no loss: it is asked for again.
void LaneTiles::write(const TileKey& key, const LaneTile& tile) {
    assertMayBlock("writes a file of the cache");
    const std::string bytes = packed(tile);
    std::ofstream file(fileOf(key), std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    m_written += bytes.size();
    if (m_written > std::min(kTidyAfter, m_mostFileBytes / 4))
        tidy();
}

void LaneTiles::tidy() {
    m_written = 0;
    std::error_code problem;
    std::vector<std::tuple<fs::file_time_type, std::uint64_t, fs::path>> files;
    std::uint64_t total = 0;
    for (const auto& entry : fs::directory_iterator(m_folder, problem)) {
        std::error_code ignored; // another window may have removed it
        const auto size = entry.file_size(ignored);
        const auto time = entry.last_write_time(ignored);
        if (ignored || entry.path().extension() != ".tile")
            continue;
        files.emplace_back(time, size, entry.path());
        total += size;
    }
    std::ranges::sort(files);
    for (const auto& [time, size, path] : files) {
        if (total <= m_mostFileBytes)
            break;
        std::error_code ignored;
        fs::remove(path, ignored);
        total -= size;
    }
}

} // namespace trainscope::app
