#pragma once
// Skipped tests against the list of those that may be skipped (tests/skips.txt).

#include "support/TestFiles.h"

#include <QStandardPaths>
#include <QString>

#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

namespace trainscope::test {

inline bool holdsHere(const std::string& condition) {
    const std::string without = "without:";
    if (condition.starts_with(without))
        return QStandardPaths::findExecutable(
            QString::fromStdString(condition.substr(without.size())))
            .isEmpty();
    if (condition == "root" || condition == "user")
        return (::geteuid() == 0) == (condition == "root");
    return condition == "any" || (condition == "no-shared" && realFiles().empty());
}

// Lines of a log in Qt Test's plain format that tell of a skip which the list does not have.
inline std::vector<std::string> unlistedSkips(const std::string& log, const std::string& list) {
    std::vector<std::string> unlisted;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        bool isListed = !line.starts_with("SKIP ");
        std::istringstream rows(list);
        for (std::string row; !isListed && std::getline(rows, row);) {
            std::istringstream words(row);
            std::string condition;
            std::string test;
            std::string reason;
            words >> condition >> test >> std::ws;
            std::getline(words, reason);
            isListed = line.find(" " + test + "::") != std::string::npos
                && line.find(reason) != std::string::npos && holdsHere(condition);
        }
        if (!isListed)
            unlisted.push_back(line);
    }
    return unlisted;
}

} // namespace trainscope::test
