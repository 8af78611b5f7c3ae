# cmake -DPROGRAM=mastaba -DTO=DIRECTORY -P Describe.cmake: the pages of the manual and what shells complete by, from the
# program's own tables.
function(describe file)
    execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${TO}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${TO})
file(MAKE_DIRECTORY ${TO}/man ${TO}/bash ${TO}/zsh ${TO}/fish)
describe(bash/mastaba completion bash)
describe(zsh/_mastaba completion zsh)
describe(fish/mastaba.fish completion fish)
execute_process(COMMAND ${PROGRAM} manual OUTPUT_VARIABLE commands OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" commands "bench\n${commands}")
foreach(command IN LISTS commands)
    string(REPLACE " " ";" words "${command}")
    string(REPLACE " " "-" name "${command}")
    describe(man/mastaba-${name}.1 manual ${words})
endforeach()
