/** Detects that the page is hidden behind another tab or window, or minimized. */

/** Ignores shorter visits to another tab. */
const hiddenMilliseconds = 5_000

/** Calls back when the page has been hidden for some seconds, and when it is visible again. @returns a stop function */
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
