//! The code as the table that the paper prints (`wom-v`, figure 2).

use super::Code;

impl Code {
    /// One row for each level, highest first: the level, the data it stands for, and the
    /// generations it belongs to. A level that two generations share names both.
    pub fn table(&self) -> String {
        let (k, n) = (usize::from(self.data_bits()), usize::from(self.cell_bits()));
        let mut text = format!(
            "{self}: {} generations\n{:>n$}  level  {:>k$}  generation\n",
            self.generations(),
            "code",
            "data",
            n = n.max(4),
            k = k.max(4)
        );
        for level in (0..=self.max_level()).rev() {
            let names: Vec<String> = self.generations_of(level).map(|g| format!("GEN{}", g + 1)).collect();
            let row = format!(
                "{:>cw$}  {:>5}  {:>dw$}  {}",
                format!("{level:0n$b}"),
                format!("V{level}"),
                format!("{:0k$b}", level & self.step()),
                names.join(", "),
                cw = n.max(4),
                dw = k.max(4),
            );
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }

    /// The generations (from 0) that level `level` belongs to: two where neighbours share it, none
    /// above the last.
    pub fn generations_of(&self, level: u8) -> impl Iterator<Item = u32> + use<> {
        let (level, step) = (u32::from(level), u32::from(self.step()));
        (0..self.generations()).filter(move |g| (g * step..=(g + 1) * step).contains(&level))
    }
}
