# What Debian wants of an installed tree besides what `cmake --install` puts there; CPack calls it before it packs.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/${CPACK_PACKAGE_NAME})
set(here ${CMAKE_CURRENT_LIST_DIR})
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(compress)
  run(gzip -9 -n -f ${ARGN})
endfunction()

# Icons as pictures, for what does not read SVG and for small sizes that are drawn often.
foreach(size 16 24 32 48 64 128 256 512)
  foreach(icon apps/org.trainscope.Trainscope mimetypes/application-x-trainscope)
    set(made ${share}/icons/hicolor/${size}x${size}/${icon}.png)
    get_filename_component(folder ${made} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    run(rsvg-convert --width ${size} --height ${size} --output ${made} ${share}/icons/hicolor/scalable/${icon}.svg)
  endforeach()
endforeach()

# Debian's zsh looks elsewhere for what packages complete; libraries lie by their architecture.
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
set(lib ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib)
file(MAKE_DIRECTORY ${lib}/${CPACK_TRAINSCOPE_ARCHITECTURE})
file(RENAME ${lib}/trainscope ${lib}/${CPACK_TRAINSCOPE_ARCHITECTURE}/trainscope)

file(GLOB pages ${share}/man/man*/*)
compress(${pages})

file(MAKE_DIRECTORY ${doc} ${share}/lintian/overrides)
configure_file(${here}/copyright ${doc}/copyright COPYONLY)
configure_file(${CPACK_TRAINSCOPE_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH
set(what "Version ${CPACK_PACKAGE_VERSION}. What is new stands in changelog.gz.")
configure_file(${here}/changelog.in ${doc}/changelog.Debian @ONLY)
compress(${doc}/changelog ${doc}/changelog.Debian)
configure_file(${here}/lintian-overrides ${share}/lintian/overrides/${CPACK_PACKAGE_NAME} COPYONLY)

# Whoever made the tree, and under whatever umask.
run(chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
