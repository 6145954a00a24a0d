#pragma once
// A database that is made for work which may come to nothing.

#include <filesystem>

namespace trainscope::store {

// To be made before the database is opened. Removes at the end of its life an empty database that
// nobody has open, where no file was before.
class NewDatabase {
public:
    explicit NewDatabase(std::filesystem::path path);
    NewDatabase(const NewDatabase&) = delete;
    NewDatabase& operator=(const NewDatabase&) = delete;
    ~NewDatabase();

private:
    std::filesystem::path m_path;
    bool m_isNew;
};

} // namespace trainscope::store
