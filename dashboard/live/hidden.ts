/** Whether the page is hidden: another tab is in front, or the window is minimized or covered. */

/** A look at another tab is shorter than this. */
const hiddenMilliseconds = 5_000

/** Calls once the page has been hidden for some seconds, and once it is seen again. @returns what ends that */
export function watchHidden(onChange: (isHidden: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHidden = false

  function change() {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(() => become(true), hiddenMilliseconds)
    else become(false)
  }

  function become(next: boolean) {
    if (isHidden === next) return
    isHidden = next
    onChange(next)
  }

  document.addEventListener('visibilitychange', change)
  // A tab that is opened in the background is hidden from the start.
  change()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', change)
  }
}
