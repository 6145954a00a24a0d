#pragma once
// The tables that come with the program, compiled in, and where those of the user lie.

#include <filesystem>
#include <string_view>

namespace trainscope::catalogue {

std::string_view builtInHardware(); // the text of resources/hardware.json
std::string_view builtInModelTable(); // the text of resources/models.json

// The folder of the user's own tables (kernel_categories.json, models.json):
// $XDG_CONFIG_HOME/Trainscope, else ~/.config/Trainscope, as the window's settings. Need not exist;
// empty where the environment names no home.
std::filesystem::path configFolder();

} // namespace trainscope::catalogue
