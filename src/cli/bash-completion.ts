/**
 * What `kb autocomplete script bash` says after oclif's own line: where no command or flag fits, bash completes the names of files. `words` are those of the
 * command line; for any other the text is empty.
 */
export const fileCompletion = (words: readonly string[]): string =>
  words.join(' ') === 'autocomplete script bash'
    ? 'declare -F _kb_autocomplete >/dev/null && complete -o default -F _kb_autocomplete kb; # files, too\n'
    : '';
