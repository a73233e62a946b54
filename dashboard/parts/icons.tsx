/** SVG paths of 16 by 16 icons. */
const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z',
  data: 'M2.5 4c0-1 2.5-1.5 5.5-1.5s5.5.5 5.5 1.5-2.5 1.5-5.5 1.5S2.5 5 2.5 4zm0 0v8c0 1 2.5 1.5 5.5 1.5s5.5-.5 5.5-1.5V4M2.5 8c0 1 2.5 1.5 5.5 1.5s5.5-.5 5.5-1.5',
  files: 'M3.5 2.5h5l4 4v7h-9zM8.5 2.5v4h4',
  snapshots: 'M8 4.5V8l2.5 1.5M2.5 8a5.5 5.5 0 1 0 2-4.2M2.5 2.5v3h3',
  users: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-5 5.5c0-2.5 2-4 5-4s5 1.5 5 4',
  provider: 'M6 8h7.5M11 5.5 13.5 8 11 10.5M8.5 2.5h-6v11h6',
  mail: 'M2.5 4h11v8h-11zM2.5 4.5 8 9l5.5-4.5',
  requests: 'M2.5 4.5h9m-2-2 2 2-2 2M13.5 11.5h-9m2-2-2 2 2 2',
  realtime: 'M2 8h2.5l2-5 3 10 2-5H14',
  simulate: 'M4 2.5v6m0 3v2M8 2.5v2m0 3v6M12 2.5v7m0 3v1M2.5 8.5h3M6.5 5.5h3M10.5 9.5h3',
  settings: 'M3 4.5h10M3 8h10M3 11.5h10M6 3v3M10 6.5v3M5 10v3',
  api: 'M5.5 4 1.5 8l4 4M10.5 4l4 4-4 4M9 2.5l-2 11',
  parity: 'M3 5.5h10M3 10.5h10M10.5 3l-5 10',
  console: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zm3.3-1.2 3.2 3.2',
  relations: 'M5 4.5h6M4 6v4.5l3 2M2.5 3h3v3h-3zM10.5 3h3v3h-3zM7 10.5h3v3H7z',
  open: 'M6 3.5H3v9.5h9.5V10M9 3h4v4M13 3 7.5 8.5',
  down: 'M4.5 6.5 8 10l3.5-3.5',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  pin: 'M6 2.5h4M6.5 2.5v4l-2 2.5h7l-2-2.5v-4M8 9v4.5',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
