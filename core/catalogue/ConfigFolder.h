#pragma once
// Where the user's own tables lie (kernel_categories.json, models.json):
// $XDG_CONFIG_HOME/Trainscope, else ~/.config/Trainscope, as the window's settings.

#include <filesystem>

namespace trainscope::catalogue {

// Need not exist; empty where the environment names no home.
std::filesystem::path configFolder();

} // namespace trainscope::catalogue
