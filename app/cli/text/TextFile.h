#pragma once
// A text file that appears whole or not at all: written under another name, and renamed by close().
// Compressed where its name ends in ".gz".

#include "core/model/Result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct gzFile_s;

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
        void operator()(gzFile_s* file) const;
    };

    explicit TextFile(std::filesystem::path path);

    std::filesystem::path m_path;
    std::filesystem::path m_temporary;
    std::unique_ptr<gzFile_s, Closer> m_file;
    bool m_failed = false;
};

} // namespace trainscope::cli
