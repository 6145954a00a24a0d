#pragma once
// A text file that appears whole or not at all: written under another name, and renamed by close().

#include "core/model/Result.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace trainscope::cli {

class TextFile {
public:
    static Result<TextFile> create(const std::filesystem::path& path);
    TextFile(TextFile&&) noexcept = default;
    TextFile& operator=(TextFile&&) noexcept = default;
    ~TextFile(); // without close(): leaves nothing behind

    void write(std::string_view text); // failures show in close()
    Status close();

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    explicit TextFile(std::filesystem::path path);

    std::filesystem::path m_path;
    std::filesystem::path m_temporary;
    std::unique_ptr<std::FILE, Closer> m_file;
};

} // namespace trainscope::cli
