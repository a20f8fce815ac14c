# Functions of the CMake package, for networks that ship.
include_guard()
include(CheckCXXSourceCompiles)

# ctq_add_library(NAME NAME.cpp): the library that `ctq import --library` wrote. Its source is compiled
# once for each instruction set that the compiler knows, and the fastest that the machine has is chosen
# when the network is loaded. CTQ_LIBRARY_ISAS, a list such as "avx2;avx512", chooses some; an empty one
# compiles the source once, with the flags of the project.
function(ctq_add_library name source)
  get_filename_component(source "${source}" ABSOLUTE)
  get_filename_component(folder "${source}" DIRECTORY)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(known ${ctq_isas_x86_64})
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(known ${ctq_isas_aarch64})
  endif()
  set(isas ${known})
  if(DEFINED CTQ_LIBRARY_ISAS)
    set(isas ${CTQ_LIBRARY_ISAS})
  endif()

  # The code of a network without optimization is of no use: -O3 where no CMAKE_BUILD_TYPE is chosen.
  # With some of -fsanitize=undefined g++ rejects comparisons of addresses in constants. Objects that
  # are linked twice have machine code, also if the project's own flags have -flto.
  set(options $<$<CONFIG:>:-O3>
    $<$<CXX_COMPILER_ID:GNU>:-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute>)
  set(objects)
  foreach(isa IN LISTS isas)
    if(NOT isa IN_LIST known)
      message(FATAL_ERROR "CTQ_LIBRARY_ISAS: \"${isa}\" is none of: ${known}")
    endif()
    if(NOT CMAKE_OBJCOPY)
      message(FATAL_ERROR "ctq_add_library needs objcopy, of binutils (CMAKE_OBJCOPY); with an empty "
        "CTQ_LIBRARY_ISAS, ${name} is compiled for one machine without it")
    endif()
    set(flags ${ctq_flags_${isa}})
    string(JOIN " " CMAKE_REQUIRED_FLAGS ${flags})
    check_cxx_source_compiles("int main() {}" ctq_compiler_knows_${isa})
    if(NOT ctq_compiler_knows_${isa})
      continue()
    endif()
    set(code ${name}-${isa})
    add_library(${code} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_compile_definitions(${code} PRIVATE CTQ_LIBRARY_CODE)
    target_compile_options(${code} PRIVATE ${options} -fno-lto ${flags})
    target_link_libraries(${code} PRIVATE ctq::ctq)
    set_target_properties(${code} PROPERTIES
      INTERPROCEDURAL_OPTIMIZATION OFF POSITION_INDEPENDENT_CODE ON)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${code}.o")
    add_custom_command(OUTPUT "${object}"
      COMMAND "${ctq_isolate}" $<TARGET_OBJECTS:${code}> "${object}" "${CMAKE_OBJCOPY}"
        "${CMAKE_CXX_COMPILER}"
      DEPENDS ${code} $<TARGET_OBJECTS:${code}> VERBATIM)
    list(APPEND objects "${object}")
  endforeach()

  if(objects)
    # One object file, since a linker takes nothing out of an archive for the weak references by which
    # the library looks for its code.
    set(chooser ${name}-dispatch)
    set(all "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
    add_library(${chooser} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_compile_definitions(${chooser} PRIVATE CTQ_LIBRARY_DISPATCH)
    target_compile_options(${chooser} PRIVATE ${options} -fno-lto)
    target_link_libraries(${chooser} PRIVATE ctq::ctq)
    set_target_properties(${chooser} PROPERTIES
      INTERPROCEDURAL_OPTIMIZATION OFF POSITION_INDEPENDENT_CODE ON)
    add_custom_command(OUTPUT "${all}"
      COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -o "${all}" $<TARGET_OBJECTS:${chooser}> ${objects}
      DEPENDS ${chooser} $<TARGET_OBJECTS:${chooser}> ${objects} VERBATIM)
    set_source_files_properties("${all}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_library(${name} STATIC "${all}")
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  else()
    add_library(${name} STATIC "${source}")
    target_compile_options(${name} PRIVATE ${options})
    target_link_libraries(${name} PRIVATE ctq::ctq)
  endif()
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_compile_features(${name} PUBLIC cxx_std_20)
endfunction()

# ctq_embed(TARGET FILE NAME): the bytes of a file, of any size, as a function of TARGET's sources,
# std::span<const std::byte> NAME() of NAME.hpp, aligned to 64. FILE may be made by the build.
function(ctq_embed target file name)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    set(file "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endif()
  get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(files "${CMAKE_CURRENT_BINARY_DIR}/${name}.hpp" "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  add_custom_command(OUTPUT ${files}
    COMMAND "${ctq_embed}" --object "${file}" ${files} "${name}"
    DEPENDS "${file}" VERBATIM)
  # Makes them once for all targets, those of other directories included.
  string(MD5 directory "${CMAKE_CURRENT_BINARY_DIR}")
  set(maker ctq_embed_${name}_${directory})
  if(NOT TARGET ${maker})
    add_custom_target(${maker} DEPENDS ${files})
  endif()
  add_dependencies(${target} ${maker})
  set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES GENERATED TRUE)
  target_sources(${target} PRIVATE ${files})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
  target_compile_features(${target} PRIVATE cxx_std_20)
endfunction()
