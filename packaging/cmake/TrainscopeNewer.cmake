# Debian 13 (GCC 14, Qt 6.8) where it differs from Debian 12 (GCC 12, Qt 6.4); after the packages are found.
add_library(trainscope_test_options INTERFACE) # linked last, so that it has the last word
if(Qt6_VERSION VERSION_GREATER_EQUAL 6.8 OR CMAKE_CROSSCOMPILING)
  # Programs are compiled as libraries are, as Qt 6.4 asks itself on x86-64: they share precompiled headers.
  target_compile_options(trainscope_test_options INTERFACE -fPIC)
endif()
if(Qt6_VERSION VERSION_GREATER_EQUAL 6.8)
  target_compile_options(trainscope_test_options INTERFACE -Wno-conversion) # macros that wait narrow a long to an int
endif()
if(TARGET PkgConfig::harfbuzz)
  # GLib's -pthread defines a macro, with which precompiled headers of others do not fit. Threads are linked anyway.
  get_target_property(options PkgConfig::harfbuzz INTERFACE_COMPILE_OPTIONS)
  if(options)
    list(REMOVE_ITEM options -pthread)
    set_property(TARGET PkgConfig::harfbuzz PROPERTY INTERFACE_COMPILE_OPTIONS ${options})
  endif()
endif()
# In the code: expat 2.9 counts lines by another function (importers/topology/NcclXml.cpp), PDFs of Qt 6.8 have metadata that
# differ each time (app/painting/PdfFile.cpp), its dialogs are windows (tests/qml/tst_MainMenu.qml, tst_Keys.qml), its SVGs
# have a blank less (tests/app/painting/support/Golden.cpp), and comments name Qt 6.4 where it has a fault that Qt 6.8 has not.
