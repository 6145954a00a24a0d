#include "importers/charllm/RunName.h"

#include <charconv>
#include <string>

namespace trainscope::importers::charllm {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kMicroBatch = "mbs";
constexpr std::size_t kMinBits = 2;
constexpr int kMaxMicroBatch = 1 << 20;

bool consistsOf(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

void applyBitmap(std::string_view bits, LaunchConfig& launch) {
    if (!launch.overlap)
        launch.overlap = bits[0] == '1';
    if (!launch.recompute)
        launch.recompute = bits[1] == '1';
}

void applyMicroBatch(std::string_view digits, LaunchConfig& launch) {
    int size = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    const bool isWhole = error == std::errc{} && end == digits.data() + digits.size();
    if (isWhole && size > 0 && size <= kMaxMicroBatch && !launch.microBatch)
        launch.microBatch = size;
}

} // namespace

void applyFolderName(std::string_view folderName, LaunchConfig& launch) {
    const std::size_t last = folderName.rfind('_');
    if (last == std::string_view::npos || last == 0)
        return;
    const std::size_t first = folderName.rfind('_', last - 1);
    if (first == std::string_view::npos || first == 0)
        return;
    const std::string_view index = folderName.substr(first + 1, last - first - 1);
    const std::string_view tag = folderName.substr(last + 1);
    const bool isBitmap = tag.size() >= kMinBits && consistsOf(tag, "01");
    const bool isMicroBatch
        = tag.starts_with(kMicroBatch) && consistsOf(tag.substr(kMicroBatch.size()), kDigits);
    if (!consistsOf(index, kDigits) || !(isBitmap || isMicroBatch))
        return;
    if (!launch.model)
        launch.model = std::string(folderName.substr(0, first));
    if (isBitmap)
        applyBitmap(tag, launch);
    else
        applyMicroBatch(tag.substr(kMicroBatch.size()), launch);
    if (launch.origin.empty())
        launch.origin = "folder name";
}

} // namespace trainscope::importers::charllm
