#include "app/engine/KnownEngines.h"

#include "core/catalogue/Tables.h"
#include "core/model/InteractiveThread.h"

#include <QHostAddress>
#include <QUrl>

#include <filesystem>
#include <fstream>
#include <string>

namespace trainscope::app {

namespace {

std::filesystem::path listPath() {
    const std::filesystem::path folder = catalogue::configFolder();
    return folder.empty() ? folder : folder / "engines";
}

// Without the path: whoever answers there is the same.
std::string lineOf(const importers::engine::Address& address) {
    return (address.isEncrypted() ? "https://" : "http://") + address.host();
}

bool isListed(const std::string& line) {
    assertMayBlock("reads the list of engines");
    std::ifstream file(listPath());
    for (std::string known; std::getline(file, known);) {
        if (known == line)
            return true;
    }
    return false;
}

} // namespace

void rememberEngine(const importers::engine::Address& address) {
    const std::filesystem::path path = listPath();
    const std::string line = lineOf(address);
    if (path.empty() || isListed(line))
        return;
    std::error_code ignored; // told by the file that cannot be opened
    std::filesystem::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::app) << line << '\n';
}

bool isKnownEngine(const importers::engine::Address& address) {
    const QString host = QUrl(QString::fromStdString(address.url)).host();
    return host == QLatin1String("localhost") || QHostAddress(host).isLoopback()
        || isListed(lineOf(address));
}

Result<EngineAccess> accessForLinked(const importers::engine::Address& address) {
    return isKnownEngine(address) ? accessFrom({}) : EngineAccess();
}

} // namespace trainscope::app
