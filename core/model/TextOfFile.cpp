#include "core/model/TextOfFile.h"

#include "core/model/InteractiveThread.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace trainscope {

Result<std::string> textOfFile(const std::filesystem::path& path) {
    assertMayBlock("reads a file");
    const auto unreadable = [&path](const std::string& why) {
        return Error{ErrorCode::Unreadable, why, path.string()};
    };
    std::error_code ignored; // told by the file that cannot be opened
    if (std::filesystem::is_directory(path, ignored))
        return unreadable("This is a folder; give a file.");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return unreadable(
            "The file cannot be opened (" + std::generic_category().message(errno) + ").");
    std::ostringstream text;
    text << file.rdbuf(); // fails where there is nothing to be copied
    if (text.bad())
        return unreadable("The file cannot be read to its end.");
    return std::move(text).str();
}

} // namespace trainscope
