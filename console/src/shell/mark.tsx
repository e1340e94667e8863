/** The mark of the platform, as rest/pages/frame/assets.ts has it for the other pages. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width={24} height={24} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1a56db" />
      <path
        d="M13 6h9a4 4 0 0 1 4 4v3a4 4 0 0 1-4 4"
        fill="none"
        stroke="#fff"
        strokeOpacity=".55"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <path d="M8 26V13a2 2 0 0 1 2-2h8a3 3 0 0 1 3 3v4a3 3 0 0 1-3 3h-7v5z" fill="#fff" />
      <path d="M11 14.5h7" stroke="#1a56db" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
