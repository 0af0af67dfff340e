/** Shells with a completion script. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

/**
 * Returns the script with which a shell asks the program for completions.
 *
 * Typed text is passed to the program as words, never through `eval` or the like: completing a line must not run any of it.
 *
 * @param name command name of the program.
 */
export function completionScript(shell: Shell, name: string): string {
  return SCRIPTS[shell].replaceAll("PROGRAM", name).replaceAll("FUNCTION", `_${name.replaceAll("-", "_")}`);
}

/**
 * Scripts that call `PROGRAM complete -- <words>`; the last word is unfinished. Each line of the answer is a value, a tab and its
 * description. The last line, a colon and a number, is skipped. Without completions the shell offers files.
 */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for PROGRAM; needs the package bash-completion

FUNCTION() {
  local cur words cword value rest
  COMPREPLY=()
  # One word, although bash takes it apart at these characters.
  _get_comp_words_by_ref -n "=:" cur words cword || return
  while IFS=$'\\t' read -r value rest; do
    [[ $value == :* ]] || COMPREPLY+=("$value")
  done < <(PROGRAM complete -- "\${words[@]:1:cword}" 2>/dev/null </dev/null)
}

complete -o bashdefault -o default -F FUNCTION PROGRAM
`,
  zsh: `#compdef PROGRAM
# zsh completion for PROGRAM

FUNCTION() {
  local -a offered
  local line value meaning
  for line in "\${(@f)$(PROGRAM complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    [[ -z $line || $line == :* ]] && continue
    value=\${line%%$'\\t'*}
    meaning=\${line#*$'\\t'}
    offered+=("\${value//:/\\\\:}\${meaning:+:$meaning}")
  done
  # Of --option=value the value is completed.
  [[ \${words[CURRENT]} == -*=* ]] && compset -P '*='
  if (( \${#offered} )); then
    _describe -t values PROGRAM offered
  else
    _files
  fi
}

# A file that zsh found by itself is the function; one that was read by hand has to register it.
if [[ \${funcstack[1]} == _PROGRAM ]]; then
  FUNCTION "$@"
else
  compdef FUNCTION PROGRAM
fi
`,
  fish: `# fish completion for PROGRAM

function _FUNCTION_ask
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    # Of --option=value fish replaces the whole.
    set -l prefix (string match -r -- '^-.*?=' "$last")
    set -g _FUNCTION_offered
    for line in (PROGRAM complete -- $words[2..-1] "$last" 2>/dev/null </dev/null)
        string match -q -- ':*' $line; or set -a _FUNCTION_offered "$prefix$line"
    end
    test (count $_FUNCTION_offered) -gt 0
end

complete -c PROGRAM -e
complete -c PROGRAM -n _FUNCTION_ask -f -a '$_FUNCTION_offered'
`,
  powershell: `# PowerShell completion for PROGRAM

Register-ArgumentCompleter -Native -CommandName 'PROGRAM' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { $_.Extent.Text })
    # An empty word is lost on the way to a program before PowerShell 7.3, a blank is not.
    if ($wordToComplete -eq '') { $words += ' ' }
    $prefix = ''
    if ($wordToComplete -match '^-[^=]*=') { $prefix = $Matches[0] }
    & 'PROGRAM' 'complete' '--' @words 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
        $value, $meaning = $_ -split "\`t", 2
        if (-not $meaning) { $meaning = $value }
        [System.Management.Automation.CompletionResult]::new("$prefix$value", $value, 'ParameterValue', $meaning)
    }
}
`,
};
