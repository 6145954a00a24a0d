#pragma once
// A disk that has some written data for sure and some only on its way: a loss of power keeps any
// part of that, sector by sector and in no order. FaultVfs.h tells it.

#include <QFile>

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::test {

class UnsyncedDisk {
public:
    // From its opening on; what is there already is for sure.
    void opened(const std::string& path) {
        if (m_files.contains(path))
            return;
        File file;
        QFile there(QString::fromStdString(path));
        if (there.open(QIODevice::ReadOnly))
            file.sure = there.readAll().toStdString();
        m_files.emplace(path, std::move(file));
    }
    void wrote(const std::string& path, std::string_view bytes, std::int64_t at) {
        File& file = m_files[path];
        // A new file under the name of a removed one shares nothing with it: no disk mixes the two.
        if (file.isRemoved)
            file = {};
        file.onItsWay.push_back({static_cast<std::size_t>(at), std::string(bytes), false});
    }
    void truncated(const std::string& path, std::int64_t size) {
        m_files[path].onItsWay.push_back({static_cast<std::size_t>(size), {}, true});
    }
    void synced(const std::string& path) {
        File& file = m_files[path];
        for (const Change& change : file.onItsWay)
            apply(change, file.sure);
        file.onItsWay.clear();
    }
    void removed(const std::string& path, bool isForSure) {
        if (isForSure)
            m_files.erase(path);
        else
            m_files[path].isRemoved = true;
    }

    // Leaves files as a disk might have them that lost power now; every third seed keeps nothing
    // of what was on its way, every third all.
    void losePower(unsigned seed) const {
        std::mt19937 random(seed);
        const double share = seed % 3 * 0.5;
        std::bernoulli_distribution arrives(share);
        for (const auto& [path, file] : m_files) {
            if (file.isRemoved && arrives(random))
                continue;
            std::string left = file.sure;
            for (const Change& change : file.onItsWay) {
                for (const Change& piece : sectorsOf(change)) {
                    if (arrives(random))
                        apply(piece, left);
                }
            }
            QFile out(QString::fromStdString(path));
            QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
            out.write(left.data(), static_cast<qint64>(left.size()));
            std::filesystem::remove(path + "-shm");
        }
    }

private:
    static constexpr std::size_t kSector = 512;
    struct Change {
        std::size_t at = 0;
        std::string bytes;
        bool isEnd = false; // the file ends there
    };
    struct File {
        std::string sure;
        std::vector<Change> onItsWay;
        bool isRemoved = false;
    };

    static void apply(const Change& change, std::string& file) {
        if (change.isEnd) {
            file.resize(change.at);
            return;
        }
        if (file.size() < change.at + change.bytes.size())
            file.resize(change.at + change.bytes.size());
        file.replace(change.at, change.bytes.size(), change.bytes);
    }
    static std::vector<Change> sectorsOf(const Change& change) {
        if (change.isEnd)
            return {change};
        std::vector<Change> pieces;
        for (std::size_t begin = 0; begin < change.bytes.size();) {
            const std::size_t size = kSector - (change.at + begin) % kSector;
            pieces.push_back({change.at + begin, change.bytes.substr(begin, size), false});
            begin += size;
        }
        return pieces;
    }

    std::map<std::string, File> m_files;
};

} // namespace trainscope::test
