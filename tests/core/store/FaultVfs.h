#pragma once
// SQLite's layer of files with faults: one of its calls, counted over all files, fails as a disk or
// a network would, or all of them from one on, as without power. It has to be there before the
// first database is opened.

#include "core/model/Result.h"

#include <QFile>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <sqlite3.h>
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

enum class Fault { None, Read, Write, ShortWrite, Full, Sync, Lock, SharedMemory, Power };

struct FaultPlan {
    Fault fault = Fault::None;
    int after = 0; // calls of the kind that succeed before
    bool lasts = false; // a full disk stays full, a disk that hiccups does not
    int calls = 0; // calls of the kind so far
    bool isDue() {
        const int call = calls++;
        return lasts ? call >= after : call == after;
    }
};

inline FaultPlan faultPlan; // one thread at a time

// From one place that is tried to the next, of so many calls; TRAINSCOPE_FAULTS_EVERY=1: each.
inline int faultStep(int calls, int places) {
    const int asked = qEnvironmentVariableIntValue("TRAINSCOPE_FAULTS_EVERY");
    return asked > 0 ? asked : std::max(1, calls / places);
}

inline sqlite3_vfs* systemVfs = nullptr;

// Hears what is written, if set; Fault::Power then counts writes and syncs.
inline UnsyncedDisk* watchedDisk = nullptr;
inline bool isPowerOff = false;

struct FaultFile {
    sqlite3_file base;
    sqlite3_io_methods methods;
    const char* path; // null: nobody's but SQLite's
    [[nodiscard]] sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    static FaultFile& of(sqlite3_file* file) { return *reinterpret_cast<FaultFile*>(file); }
};

inline bool strikes(Fault fault) {
    return faultPlan.fault == fault && faultPlan.isDue();
}

// The file that the watched disk hears of; null: none.
inline const char* watched(sqlite3_file* file) {
    return watchedDisk == nullptr ? nullptr : FaultFile::of(file).path;
}

inline bool losesPower() {
    if (!isPowerOff && strikes(Fault::Power))
        isPowerOff = true; // written where it changes: several threads read it
    return isPowerOff;
}

template <auto Method, typename... Args>
int callSystem(sqlite3_file* file, Args... args) {
    sqlite3_file* inner = FaultFile::of(file).inner();
    return (inner->pMethods->*Method)(inner, args...);
}

inline int faultyRead(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
    return isPowerOff || strikes(Fault::Read)
        ? SQLITE_IOERR_READ
        : callSystem<&sqlite3_io_methods::xRead>(file, to, size, at);
}

inline int faultyWrite(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
    if (losesPower() || strikes(Fault::Write))
        return SQLITE_IOERR_WRITE;
    if (strikes(Fault::Full))
        return SQLITE_FULL;
    if (strikes(Fault::ShortWrite)) {
        if (size > 1)
            (void)callSystem<&sqlite3_io_methods::xWrite>(file, from, size / 2, at);
        return SQLITE_FULL;
    }
    if (const char* path = watched(file))
        watchedDisk->wrote(
            path, {static_cast<const char*>(from), static_cast<std::size_t>(size)}, at);
    return callSystem<&sqlite3_io_methods::xWrite>(file, from, size, at);
}

inline int faultyTruncate(sqlite3_file* file, sqlite3_int64 size) {
    if (losesPower())
        return SQLITE_IOERR_TRUNCATE;
    if (const char* path = watched(file))
        watchedDisk->truncated(path, size);
    return callSystem<&sqlite3_io_methods::xTruncate>(file, size);
}

// The system outlives these tests, and waiting for the disk would take most of their time.
inline int faultySync(sqlite3_file* file, int /*flags*/) {
    if (losesPower() || strikes(Fault::Sync))
        return SQLITE_IOERR_FSYNC;
    if (const char* path = watched(file))
        watchedDisk->synced(path);
    return SQLITE_OK;
}

inline int faultyLock(sqlite3_file* file, int level) {
    return strikes(Fault::Lock) ? SQLITE_IOERR_LOCK
                                : callSystem<&sqlite3_io_methods::xLock>(file, level);
}

inline int faultyMap(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
    return strikes(Fault::SharedMemory)
        ? SQLITE_IOERR_SHMMAP
        : callSystem<&sqlite3_io_methods::xShmMap>(file, page, size, extend, out);
}

inline int openFaulty(
    sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* outFlags) {
    FaultFile& faulty = FaultFile::of(file);
    const int code = systemVfs->xOpen(systemVfs, name, faulty.inner(), flags, outFlags);
    file->pMethods = nullptr;
    if (code != SQLITE_OK)
        return code;
    faulty.path = name;
    if (name != nullptr && watchedDisk != nullptr)
        watchedDisk->opened(name);
    faulty.methods = {2, callSystem<&sqlite3_io_methods::xClose>, faultyRead, faultyWrite,
        faultyTruncate, faultySync, callSystem<&sqlite3_io_methods::xFileSize, sqlite3_int64*>,
        faultyLock, callSystem<&sqlite3_io_methods::xUnlock, int>,
        callSystem<&sqlite3_io_methods::xCheckReservedLock, int*>,
        callSystem<&sqlite3_io_methods::xFileControl, int, void*>,
        callSystem<&sqlite3_io_methods::xSectorSize>,
        callSystem<&sqlite3_io_methods::xDeviceCharacteristics>, faultyMap,
        callSystem<&sqlite3_io_methods::xShmLock, int, int, int>,
        [](sqlite3_file* barrier) {
            sqlite3_file* inner = FaultFile::of(barrier).inner();
            inner->pMethods->xShmBarrier(inner);
        },
        callSystem<&sqlite3_io_methods::xShmUnmap, int>, nullptr, nullptr};
    file->pMethods = &faulty.methods;
    return SQLITE_OK;
}

inline int removeFaulty(sqlite3_vfs* /*vfs*/, const char* name, int isForSure) {
    if (losesPower())
        return SQLITE_IOERR_DELETE;
    if (watchedDisk != nullptr)
        watchedDisk->removed(name, isForSure != 0);
    return systemVfs->xDelete(systemVfs, name, isForSure);
}

// From here on all files of this process, also those of the store, are opened with it.
inline void installFaultVfs() {
    static sqlite3_vfs vfs;
    systemVfs = sqlite3_vfs_find(nullptr);
    vfs = *systemVfs;
    vfs.pNext = nullptr;
    vfs.zName = "faults";
    vfs.szOsFile += static_cast<int>(sizeof(FaultFile));
    vfs.xOpen = openFaulty;
    vfs.xDelete = removeFaulty;
    sqlite3_vfs_register(&vfs, 1);
}

} // namespace trainscope::test
