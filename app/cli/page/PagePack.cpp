#include "app/cli/page/PagePack.h"

#include "app/cli/text/Base64.h"

#include <fmt/format.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace trainscope::cli {

std::string deflated(store::ByteView bytes, Effort effort) {
    z_stream stream{};
    deflateInit2(&stream, effort == Effort::Most ? Z_BEST_COMPRESSION : Z_BEST_SPEED, Z_DEFLATED,
        -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = const_cast<Bytef*>(bytes.data()); // zlib changes none of it
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string pageElement(std::string_view name, store::ByteView bytes) {
    return fmt::format("<script type=\"application/octet-stream\" id=\"d-{}\">{}</script>\n", name,
        base64(deflated(bytes)));
}

std::string pageElement(std::string_view name, std::string_view text) {
    return pageElement(name, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Result<std::string> pageProgram() {
    std::error_code ignored;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto path = own.parent_path() / "../share/trainscope/page.html";
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return Error{ErrorCode::NotFound,
            "The program of pages is not installed beside this one; it comes with the package, "
            "and with the target trainscope_page of a build.",
            path.lexically_normal().string()};
    return text.str();
}

std::string filledPage(std::string program, std::string_view elements) {
    constexpr std::string_view place = "<!--DATA-->";
    constexpr std::string_view nonce = "@NONCE@"; // no base64
    std::random_device random;
    const std::string own
        = fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
    for (auto at = program.find(nonce); at != std::string::npos; at = program.find(nonce, at))
        program.replace(at, nonce.size(), own);
    program.replace(program.find(place), place.size(), elements);
    return program;
}

} // namespace trainscope::cli
