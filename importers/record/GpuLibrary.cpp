#include "importers/record/GpuLibrary.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace trainscope::record {

namespace {

// Debian and Ubuntu, Fedora and its relatives, ROCm, Kubernetes on Google's machines, WSL, NixOS.
constexpr std::array kDriverFolders{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64", "/usr/lib", "/opt/rocm/lib", "/usr/local/nvidia/lib64", "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib"};

std::vector<std::filesystem::path> driverFolders() {
    std::vector<std::filesystem::path> folders;
    const char* said = std::getenv("LD_LIBRARY_PATH");
    for (std::string_view rest = said == nullptr ? "" : said; !rest.empty();) {
        const std::string_view folder = rest.substr(0, rest.find_first_of(":;"));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        if (folder.starts_with('/'))
            folders.emplace_back(folder);
    }
    folders.insert(folders.end(), kDriverFolders.begin(), kDriverFolders.end());
    return folders;
}

// Files of those names in such folders that are there.
std::vector<std::string> inDriverFolders(const std::vector<std::string>& names) {
    std::vector<std::string> files;
    for (const std::filesystem::path& folder : driverFolders()) {
        for (const std::string& name : names) {
            std::error_code ignored; // for files that cannot be looked at
            if (name.find('/') == std::string::npos
                && std::filesystem::exists(folder / name, ignored))
                files.push_back(folder / name);
        }
    }
    return files;
}

} // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names) {
    std::string problem;
    for (const auto& some : {names, inDriverFolders(names)}) {
        for (const std::string& name : some) {
            if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
                return DynamicLibrary({handle, dlclose});
            problem = dlerror();
        }
    }
    return Error{ErrorCode::NotFound, problem, {}};
}

DynamicLibrary::Symbol DynamicLibrary::operator[](const char* name) const {
    return {dlsym(m_handle.get(), name)};
}

DynamicLibrary::Symbol DynamicLibrary::either(const char* name, const char* olderName) const {
    void* const address = dlsym(m_handle.get(), name);
    return {address != nullptr ? address : dlsym(m_handle.get(), olderName)};
}

} // namespace trainscope::record
