// Folders of timings of any bytes: a profile of them is the same after it was written and read, or
// there is none and the reason is said.

#include "core/predict/profile/Profile.h"
#include "importers/operators/TimingFolder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace trainscope;

namespace {

struct NamedFile {
    const char* path;
    const char* head;
};
constexpr std::array kFiles{
    NamedFile{"a100/NVIDIAA100-SXM4-80GB_linear1_fp16.csv", "mp,b,h,l,dim,F_dur(us),B_dur(us)\n"},
    NamedFile{"a100/NVIDIAA100-SXM4-80GB_layernorm_fp16.csv", "mp,b,l,dim,F_dur(us),B_dur(us)\n"},
    NamedFile{
        "a100/NVIDIAA100-SXM4-80GB_firstStage_optimizer_fp16.csv", "mp,dim,encoders,dur(us)\n"},
    NamedFile{"nccl_vista/NVIDIAA100-SXM4-80GB_allreduce_large_fp16_2_4.csv",
        "shape,nodes,GPUsPerNode,dur(us)\n"},
    NamedFile{"a100/NVIDIAA100-SXM4-80GB.csv", ""},
};

int refused(const Error& error) {
    if (error.message.empty())
        std::abort();
    return 0;
}

} // namespace

// The files follow each other, divided by bytes of 0; one that begins with a line break has its
// usual head.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string rest(reinterpret_cast<const char*>(data), size);
    std::vector<std::pair<std::string, std::string>> files;
    for (const NamedFile& file : kFiles) {
        const std::size_t end = rest.find('\0');
        std::string text = rest.substr(0, end);
        rest = end == std::string::npos ? std::string() : rest.substr(end + 1);
        if (text.starts_with('\n'))
            text = file.head + text.substr(1);
        files.emplace_back(file.path, std::move(text));
    }
    const auto tree = importers::memoryTree(std::move(files));
    const auto folder = importers::operators::readTimings(*tree, {});
    if (!folder.hasValue())
        return refused(folder.error());
    const auto profile = predict::makeProfile(folder.value().timings, "fuzz");
    if (!profile.hasValue())
        return refused(profile.error());
    const std::string text = predict::profileText(profile.value());
    const auto again = predict::parseProfile(text, "fuzz");
    if (!again.hasValue() || predict::profileText(again.value()) != text)
        std::abort();
    return 0;
}
