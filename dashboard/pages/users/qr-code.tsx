/** A QR code as one path, drawn from its modules: no image is loaded, and nothing is run. */
import { encodeQR } from 'qr'

/** Modules that scanners want to be empty on each side. */
const quietModules = 4

export default function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: quietModules })
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={rows.length} height={rows.length} />
      <path d={squares.join('')} />
    </svg>
  )
}
