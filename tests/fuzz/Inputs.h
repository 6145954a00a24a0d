#pragma once
// Meanings of the bytes of an input: texts, parts for several files, and changes of what is sound,
// which go further than files of any bytes, that are refused by their beginning.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::fuzz {

using Input = std::span<const std::uint8_t>;

inline std::string_view textOf(Input input) {
    return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// A choice of so many, by the first byte; nothing of an empty input.
inline std::size_t takeChoice(Input& input, std::size_t choices) {
    if (input.empty())
        return 0;
    const std::size_t chosen = input.front() % choices;
    input = input.subspan(1);
    return chosen;
}

// The parts of an input, between record separators, which texts do not have; what lacks is empty.
inline std::vector<std::string> partsOf(Input input, std::size_t count) {
    constexpr char kBetween = '\x1E';
    std::vector<std::string> parts(count);
    std::string_view rest = textOf(input);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t end = i + 1 < count ? rest.find(kBetween) : std::string_view::npos;
        parts[i] = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return parts;
}

inline constexpr std::size_t kMostChanges = 64;

struct Change {
    std::size_t place = 0;
    std::size_t replaced = 0; // bytes of a text that go
    std::string_view bytes;
};

// A change has the form: place (3 bytes, of the size), numbers (1: in its lower half of bytes, in
// its upper half of those that they replace), bytes.
inline std::optional<Change> takeChange(Input& changes, std::size_t size) {
    constexpr std::size_t kHead = 4;
    if (changes.size() <= kHead || size == 0)
        return std::nullopt;
    Change change;
    change.place
        = (std::size_t{changes[0]} << 16U | std::size_t{changes[1]} << 8U | changes[2]) % size;
    change.replaced = changes[3] / 16U;
    const std::size_t count = std::min<std::size_t>(changes[3] % 16U, changes.size() - kHead);
    change.bytes = textOf(changes.subspan(kHead, count));
    changes = changes.subspan(kHead + count);
    return change;
}

// The file keeps its size.
inline void overwrite(std::string& file, const Change& change) {
    const std::string_view fits = change.bytes.substr(0, file.size() - change.place);
    file.replace(change.place, fits.size(), fits);
}

using Files = std::vector<std::pair<std::string, std::string>>; // names and contents

// Texts with changes, whose places count through all of them.
inline Files changed(Files files, Input changes) {
    std::size_t size = 0;
    for (const auto& [name, text] : files)
        size += text.size();
    for (std::size_t i = 0; i < kMostChanges; ++i) {
        auto change = takeChange(changes, size);
        if (!change)
            break;
        for (auto& [name, text] : files) {
            if (change->place < text.size()) {
                text.replace(change->place, change->replaced, change->bytes);
                break;
            }
            change->place -= text.size();
        }
    }
    return files;
}

// A database with changes.
inline std::string overwritten(std::string file, Input changes) {
    for (std::size_t i = 0; i < kMostChanges; ++i) {
        const auto change = takeChange(changes, file.size());
        if (!change)
            break;
        overwrite(file, *change);
    }
    return file;
}

} // namespace trainscope::fuzz
