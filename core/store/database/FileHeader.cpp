#include "core/store/database/FileHeader.h"

#include "core/model/Try.h"
#include "core/store/database/FileStart.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainscope::store {

namespace fs = std::filesystem;

Error foreign(const fs::path& path, const std::string& what) {
    return {ErrorCode::Refused,
        "This is not a Trainscope database but " + what + "; it was left untouched.",
        path.string()};
}

namespace {

using Page = std::array<std::uint8_t, kPageSize>;

// Places in the header, of SQLite's file format.
constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t kReservedAt = 20;
constexpr std::size_t kVersionAt = 60;
constexpr std::size_t kApplicationAt = 68;

std::uint32_t bigEndian(std::span<const std::uint8_t> header, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = (value << 8U) | header[at + i];
    return value;
}

std::string startOf(std::span<const std::uint8_t> header) {
    if (header.size() < 4)
        return "another kind of file";
    if (header[0] == 0xFF && header[1] == 0xD8 && header[2] == 0xFF)
        return "a JPEG picture";
    if (header[0] == 0x89 && header[1] == 'P' && header[2] == 'N' && header[3] == 'G')
        return "a PNG picture";
    if (header[0] == 0x1F && header[1] == 0x8B)
        return "a gzip archive";
    return "another kind of file";
}

bool hasMagic(std::span<const std::uint8_t> header) {
    return std::string_view(reinterpret_cast<const char*>(header.data()), header.size())
        .starts_with(kSqliteMagic);
}

// True where a whole header has our application id.
bool hasOurId(std::span<const std::uint8_t> header) {
    return bigEndian(header, kApplicationAt) == static_cast<std::uint32_t>(kApplicationId);
}

Status judgeWhose(const fs::path& path, std::span<const std::uint8_t> header) {
    if (!hasMagic(header))
        return foreign(path, startOf(header));
    if (header.size() < kHeaderSize)
        return Error{ErrorCode::Unreadable, "The database is cut short: it ends within its header.",
            path.string()};
    if (!hasOurId(header))
        return foreign(path, "an SQLite database of another program");
    const auto version = static_cast<int>(bigEndian(header, kVersionAt));
    if (version > schemaVersion() || version < 1)
        return newerVersion(path.string(), version, schemaVersion());
    return version < oldestSchemaVersion() ? tooOldVersion(path.string()) : Status();
}

void putBigEndian(Page& page, std::size_t at, int value) {
    for (unsigned i = 0; i < 4; ++i)
        page[at + i] = static_cast<std::uint8_t>(static_cast<unsigned>(value) >> (24U - 8U * i));
}

// True for a file with checksums of its pages whose header would be ours, had it not been changed
// since.
bool isOursWithADamagedHeader(const fs::path& path) {
    Page page{};
    if (readStart(path, page).valueOr(0) != page.size())
        return false;
    std::copy(kSqliteMagic.begin(), kSqliteMagic.end(), page.begin());
    page[kReservedAt] = kSumSize;
    putBigEndian(page, kApplicationAt, kApplicationId);
    for (int version = oldestSchemaVersion(); version <= schemaVersion(); ++version) {
        putBigEndian(page, kVersionAt, version);
        if (isFirstPageAsWritten(page.data()))
            return true;
    }
    return false;
}

} // namespace

bool isRunDatabase(const fs::path& path) {
    std::error_code failure;
    FileHeader header{};
    return fs::is_regular_file(path, failure) && readStart(path, header).valueOr(0) == header.size()
        && hasMagic(header) && hasOurId(header);
}

Status judgeHeader(const fs::path& path, std::span<const std::uint8_t> header) {
    Status judged = judgeWhose(path, header);
    if (!judged.hasValue() && isOursWithADamagedHeader(path))
        return cannotBeOpened(path.string());
    return judged;
}

Error cannotBeOpened(const std::string& path) {
    return {ErrorCode::Unreadable,
        "The database is damaged: a page without which it cannot be opened is not as it was "
        "written; go back to a copy, or import the sources into a new one.",
        path};
}

} // namespace trainscope::store
