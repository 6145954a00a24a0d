#pragma once
// A text file that appears whole or not at all: written beside its place under a name of its own,
// and moved there by close(); several that belong together are finished before the first is closed.
// A signal that ends the program removes an unfinished one. A symbolic link stays, and its target
// is replaced. A device or a pipe takes the text as it comes.
// Compressed where its name ends in ".gz".

#include "app/cli/console/Interrupt.h"
#include "core/model/Result.h"

#include <memory>
#include <string_view>

struct gzFile_s;

namespace trainscope::cli {

class TextFile {
public:
    // Usage where a database is, Io where nothing can be written.
    static Result<TextFile> create(const std::filesystem::path& path);
    TextFile(TextFile&&) noexcept = default;
    TextFile& operator=(TextFile&&) noexcept = default;
    ~TextFile(); // without close(): leaves nothing behind

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; } // as it was given
    void write(std::string_view text); // failures show in finish()
    Status finish(); // all of it is on the disk, beside its place
    Status close(); // finishes it, and moves it to its place

private:
    struct Closer {
        void operator()(gzFile_s* file) const;
    };

    explicit TextFile(std::filesystem::path path);
    int open(); // the file's number; -1: errno says why not
    void remove(); // the temporary file

    std::filesystem::path m_path;
    std::filesystem::path m_place; // behind links
    std::filesystem::path m_temporary;
    std::unique_ptr<UnfinishedFile> m_unfinished; // m_temporary; nullptr: there is none
    std::unique_ptr<gzFile_s, Closer> m_file;
    bool m_failed = false;
};

} // namespace trainscope::cli
