
# Expressions have spaces, parentheses and |. The functions below replace those of the
# script above, which neither quote what they insert nor complete a word with an open
# quotation mark, and which need the package bash-completion.

# __backoff_unquote sets plain to the text of a word and quote to the mark that is open at
# its end.
__backoff_unquote()
{
    local word=$1 i c
    plain='' quote=''
    for ((i = 0; i < ${#word}; i++)); do
        c=${word:i:1}
        case $quote$c in
        \' | \") quote=$c ;;
        \'\' | \"\") quote='' ;;
        \\ | \"\\)
            ((i++))
            plain+=${word:i:1}
            ;;
        *) plain+=$c ;;
        esac
    done
}

__start_backoff()
{
    local cur words=() quote plain i word glue='' rest out directive
    COMPREPLY=()

    # A redirection is followed by a file.
    [[ $COMP_CWORD -gt 0 && ${COMP_WORDS[COMP_CWORD - 1]} == [\<\>]* ]] && return

    # The words up to the cursor, whole: bash divides them at = and :.
    rest=${COMP_LINE:COMP_POINT}
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=${word%"${rest%%[[:space:]]*}"}
        if [[ ${#words[@]} -gt 0 && ($word == [=:]* || -n $glue) ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        glue=''
        [[ $word == *[=:] ]] && glue=1
    done
    for i in "${!words[@]}"; do
        __backoff_unquote "${words[i]}"
        words[i]=$plain
    done
    cur=$plain
    [[ $cur == -*=* ]] && cur=${cur#*=}

    # The name may be an alias.
    out=$(eval "${COMP_WORDS[0]} __complete "'"${words[@]}"' 2>/dev/null)
    directive=${out##*:}
    out=${out%:*}
    __backoff_process_completion_results
}

__backoff_handle_completion_types()
{
    local tab=$'\t' line comp longest=0 i
    for line in "${completions[@]}"; do
        comp=${line%%"$tab"*}
        [[ $comp == "$cur"* ]] || continue
        if [[ -z $quote && $(printf '%q' "$comp") != "$comp" ]]; then
            comp="'${comp//\'/\'\\\'\'}'"
        fi
        ((${#comp} > longest)) && longest=${#comp}
        # Menus insert the line as it is, so that it has no description.
        [[ $COMP_TYPE != 37 && $COMP_TYPE != 42 && $line == *"$tab"* ]] && comp+=$tab${line#*"$tab"}
        COMPREPLY+=("$comp")
    done
    if ((${#COMPREPLY[@]} == 1)); then
        COMPREPLY[0]=${COMPREPLY[0]%%"$tab"*}
    else
        __backoff_format_comp_descriptions "$longest"
    fi
}
