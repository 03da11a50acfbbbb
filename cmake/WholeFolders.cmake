# The sources of a folder compiled as one: what they include is read once a folder. A name in an
# unnamed namespace is then one a folder, too.

# waferloom_whole_folders(TARGET): a unity source for each folder of the target's sources.
function(waferloom_whole_folders target)
  get_target_property(sources ${target} SOURCES)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "sources_${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
