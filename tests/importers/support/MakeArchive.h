#pragma once
// tar and zip files made in memory, and what a tree says is in them.

#include "importers/common/Source.h"
#include "importers/support/Compress.h"

#include <zlib.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

using Members = std::vector<std::pair<std::string, std::string>>;

// A ustar file by POSIX.1-1988: headers of 512 bytes, contents padded to 512, two empty blocks.
inline std::string tarOf(const Members& members, char type = '0') {
    std::string out;
    for (const auto& [name, content] : members) {
        std::string header(512, '\0');
        header.replace(0, name.size(), name);
        header.replace(100, 8, std::string("0000644\0", 8));
        header.replace(108, 16,
            std::string("0000000\0"
                        "0000000\0",
                16));
        char size[13];
        std::snprintf(size, sizeof(size), "%011zo", type == '0' ? content.size() : 0);
        header.replace(124, 12, std::string(size, 11) + '\0');
        header.replace(136, 12, std::string("00000000000\0", 12));
        header[156] = type;
        header.replace(257, 8,
            std::string("ustar\0"
                        "00",
                8));
        header.replace(148, 8, "        ");
        unsigned sum = 0;
        for (const char c : header)
            sum += static_cast<unsigned char>(c);
        char text[8];
        std::snprintf(text, sizeof(text), "%06o", sum);
        header.replace(148, 8, std::string(text, 6) + std::string("\0 ", 2));
        out += header;
        if (type == '0')
            out += content + std::string((512 - content.size() % 512) % 512, '\0');
    }
    return out + std::string(1024, '\0');
}

inline std::string little(std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8U)
        text += static_cast<char>(value & 0xFFU);
    return text;
}

// A zip file with stored members, by APPNOTE.TXT 4.3.
inline std::string zipOf(const Members& members) {
    std::string out;
    std::string directory;
    for (const auto& [name, content] : members) {
        const auto sum = crc32(
            0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
        const std::string common = little(20, 2) + little(0, 8) + little(sum, 4)
            + little(content.size(), 4) + little(content.size(), 4) + little(name.size(), 2)
            + little(0, 2);
        directory
            += "PK\1\2" + little(20, 2) + common + little(0, 10) + little(out.size(), 4) + name;
        out += "PK\3\4" + common + name + content;
    }
    const std::size_t at = out.size();
    return out + directory + "PK\5\6" + little(0, 4) + little(members.size(), 2)
        + little(members.size(), 2) + little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

// A sum that fits the first header of a tar, after something in it was changed.
inline void signTar(std::string& tar) {
    tar.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : tar.substr(0, 512))
        sum += static_cast<unsigned char>(c);
    char text[8];
    std::snprintf(text, sizeof(text), "%06o", sum);
    tar.replace(148, 8, std::string(text, 6) + std::string("\0 ", 2));
}

// A member of a tar as GNU tar writes it: a hole of nearly 8 GiB, and behind it 512 bytes. Without
// the two empty blocks at the end of a tar.
inline std::string sparseMember(const std::string& name) {
    std::string sparse = tarOf({{name, ""}}, 'S').substr(0, 512);
    const auto put = [&sparse](std::size_t at, const char* octal) {
        sparse.replace(at, 12, std::string(octal) + '\0');
    };
    sparse.replace(257, 8, std::string("ustar  \0", 8));
    put(124, "00000001000"); // the bytes that are there: 512,
    put(386, "77777776000"); // behind the hole,
    put(398, "00000001000");
    put(483, "77777777000"); // and what it is with the hole
    signTar(sparse);
    return sparse + std::string(512, 'x');
}

// A zip file of `count` members that all decompress the same bytes: each quotes the header of the
// next as a stored block and goes on in its data (D. Fifield, A better zip bomb, 2019).
inline std::string overlappingZip(int count, const std::string& content) {
    const auto sumOf = [](const std::string& bytes) {
        return crc32(
            0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    };
    std::string data = deflated(content); // the member in hand, built from the last to the first
    std::size_t size = content.size();
    auto sum = sumOf(content);
    std::string file;
    std::vector<std::pair<std::string, std::size_t>> entries; // and their places before the end
    for (int i = 0; i < count; ++i) {
        const std::string name = "m" + std::to_string(i);
        const std::string common = little(20, 2) + little(0, 2) + little(8, 2) + little(0, 4)
            + little(sum, 4) + little(data.size(), 4) + little(size, 4) + little(name.size(), 2)
            + little(0, 2);
        const std::string header = "PK\3\4" + common + name;
        file = header + data;
        entries.emplace_back("PK\1\2" + little(20, 2) + common + little(0, 10), file.size());
        data = std::string(1, '\0') + little(header.size(), 2) + little(~header.size(), 2) + file;
        sum = crc32_combine(sumOf(header), sum, static_cast<z_off_t>(size));
        size += header.size();
    }
    std::string directory;
    for (int i = count - 1; i >= 0; --i) {
        const auto& [entry, beforeEnd] = entries[static_cast<std::size_t>(i)];
        directory += entry + little(file.size() - beforeEnd, 4) + "m" + std::to_string(i);
    }
    return file + directory + "PK\5\6" + little(0, 4) + little(entries.size(), 2)
        + little(entries.size(), 2) + little(directory.size(), 4) + little(file.size(), 4)
        + little(0, 2);
}

inline std::string contentOf(const importers::SourceTree& tree, const std::string& path) {
    const auto stream = tree.open(path);
    if (!stream.hasValue())
        return "error: " + stream.error().message;
    std::string text;
    std::vector<std::byte> block(70'000);
    while (true) {
        const auto count = stream.value()->read(block);
        if (!count.hasValue())
            return "error: " + count.error().message;
        if (count.value() == 0)
            return text;
        text.append(reinterpret_cast<const char*>(block.data()), count.value());
    }
}

} // namespace trainscope::test
