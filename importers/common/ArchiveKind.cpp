#include "importers/common/ArchiveReader.h"

#include <optional>

namespace trainscope::importers {

namespace {

std::optional<std::int64_t> octal(std::string_view field) {
    const auto first = field.find_first_not_of(' ');
    if (first == std::string_view::npos)
        return std::nullopt;
    std::int64_t value = 0;
    bool isNumber = false;
    for (const char c : field.substr(first)) {
        if (c < '0' || c > '7')
            break;
        value = value * 8 + (c - '0');
        isNumber = true;
    }
    return isNumber ? std::optional(value) : std::nullopt;
}

// The sum over the header with blanks in the place of the sum itself.
bool isTarHeader(std::string_view head) {
    constexpr std::size_t kSumAt = 148;
    constexpr std::size_t kSumSize = 8;
    if (head.size() < kTarHeader || head[0] == '\0')
        return false;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kTarHeader; ++i) {
        const bool isSum = i >= kSumAt && i < kSumAt + kSumSize;
        sum += isSum ? ' ' : static_cast<unsigned char>(head[i]);
    }
    return octal(head.substr(kSumAt, kSumSize)) == sum;
}

// Files that are zip files, but hold a program's own parts: documents, arrays, checkpoints.
bool isZipOfProgram(std::string_view head) {
    constexpr std::size_t kNameAt = 30;
    constexpr std::size_t kNameSizeAt = 26;
    if (head.size() < kNameAt)
        return false;
    const auto size = static_cast<unsigned char>(head[kNameSizeAt])
        + 256U * static_cast<unsigned char>(head[kNameSizeAt + 1]);
    const std::string_view name = head.substr(kNameAt, size);
    return name.ends_with("data.pkl") || name.ends_with(".npy") || name == "mimetype"
        || name == "[Content_Types].xml" || name.starts_with("META-INF/");
}

} // namespace

ArchiveKind archiveKindOf(std::string_view head) {
    using namespace std::string_view_literals;
    if (head.starts_with("PK\3\4"sv))
        return isZipOfProgram(head) ? ArchiveKind::None : ArchiveKind::Zip;
    return isTarHeader(head) ? ArchiveKind::Tar : ArchiveKind::None;
}

} // namespace trainscope::importers
